// A report by a link: for whoever has it, and by mail each month for who should not have to look; its end.
import { html, useState } from "../html.js";
import { all, post, remove } from "../api.js";
import { useLoad } from "../hooks.js";
import { LANGUAGES, language, t } from "../i18n.js";
import { Time } from "../time.js";
import { Button } from "../components/button.js";
import { Field } from "../components/field.js";
import { FormDialog, useForm } from "../components/form.js";
import { Loaded } from "../components/loaded.js";
import { SecretDialog } from "../components/secret-dialog.js";
import { toast, toastProblem } from "../components/toasts.js";

/** @typedef {import("signalpost/api").Schemas["ReportLink"]} ReportLink */

/** @param {{client: import("../store.js").Profile, onClose: () => void}} props */
export default function Share({ client, onClose }) {
  const [link, setLink] = useState(/** @type {ReportLink | null} */ (null));
  const form = useForm(
    { email: "", language: Object.hasOwn(LANGUAGES, language.value) ? language.value : "en" },
    async ({ email, ...values }) =>
      setLink(
        await post("/report-links", { profileId: client.id, email: email.trim() || null, ...values }),
      ),
  );
  if (link) {
    return html`
      <${SecretDialog}
        title=${t("Give this link to your client")}
        note=${t(
          "It is shown only now. Whoever has it reads the reports of this client, and nothing else.",
        )}
        secret=${link.url ?? ""}
        onClose=${onClose}
      >
        ${link.email && html`
          <p class="soft small">
            ${t("{email} is mailed the link on the second day of each month.", { email: link.email })}
          </p>
        `}
      <//>
    `;
  }
  return html`
    <${FormDialog}
      title=${t("Share the reports of {name}", { name: client.name })}
      form=${form}
      submit=${t("Make the link")}
      onClose=${onClose}
    >
      <p>${t("Your client opens the link without a login, and reads each month as it stands here.")}</p>
      <${Field}
        label=${t("Mail the link each month to")}
        hint=${t("Leave it empty to send the link yourself. Months without a post are not mailed.")}
        type="email"
        autocomplete="off"
        maxlength="254"
        ...${form.field("email")}
      />
      <${Field} label=${t("Language")} options=${Object.entries(LANGUAGES)} ...${form.field("language")} />
      <${Links} profileId=${client.id} />
    <//>
  `;
}

/** The links that exist, each with its end. @param {{profileId: string}} props */
function Links({ profileId }) {
  const loaded = useLoad(() => all("/report-links", { profileId }, 200), [profileId]);
  const end = (/** @type {ReportLink} */ link) =>
    remove(`/report-links/${link.id}`)
      .then(() => toast(t("The link no longer works.")), toastProblem)
      .then(loaded.reload);
  return html`
    <${Loaded} loaded=${loaded} lines=${1}>
      ${(/** @type {ReportLink[]} */ links) =>
        links.length > 0 && html`
          <h3>${t("Links that work")}</h3>
          <ul class="plain report-links">
            ${links.map((link) => html`
              <li key=${link.id} class="row">
                <span>
                  <strong dir="auto">${link.email ?? t("anyone with the link")}</strong>
                  <span class="soft small">
                    ${t("Last opened")}:${" "}
                    ${link.lastOpenedAt ? html`
                      <${Time} at=${link.lastOpenedAt} kind="relative" />
                    ` : (
                      t("never")
                    )}
                  </span>
                </span>
                <${Button} kind="danger" onClick=${() => end(link)}>
                  ${t("Delete")}
                <//>
              </li>
            `)}
          </ul>
        `
      }
    <//>
  `;
}
