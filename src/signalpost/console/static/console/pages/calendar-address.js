// The address of a calendar link, shown once, and the ways to enter it in a calendar program.
import { html } from "../html.js";
import { t } from "../i18n.js";
import { SecretDialog } from "../components/secret-dialog.js";

/** @param {{link: import("signalpost/api").Schemas["CalendarLink"], onClose: () => void}} props */
export function CalendarAddress({ link, onClose }) {
  const url = link.url ?? "";
  return html`
    <${SecretDialog}
      title=${t("Enter this address in your calendar")}
      note=${t("It is shown only now. Whoever has it reads these posts, and can change nothing.")}
      secret=${url}
      onClose=${onClose}
    >
      <p>
        <a href=${url.replace(/^https?:/, "webcal:")}>${t("Open it in the calendar of this device")}</a>
      </p>
      <ul class="soft small">
        <li>${t("Google: Other calendars, +, From URL")}</li>
        <li>${t("Outlook: Add calendar, Subscribe from web")}</li>
        <li>${t("Apple: File, New Calendar Subscription")}</li>
        <li>${t("Thunderbird: New Calendar, On the Network")}</li>
      </ul>
      <p class="soft small">${t("Each calendar decides how often it looks: Google takes up to a day.")}</p>
    <//>
  `;
}
