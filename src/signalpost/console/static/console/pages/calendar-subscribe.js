// A link by which a calendar program shows posts, as the calendar filters them here.
import { html, useState } from "../html.js";
import { allClients } from "../client.js";
import { post } from "../api.js";
import { LANGUAGES, language, loadTexts, t } from "../i18n.js";
import { accounts, networkName, profiles } from "../store.js";
import { Field } from "../components/field.js";
import { FormDialog, errorAt, useForm } from "../components/form.js";
import { profileOptions } from "../components/profile-field.js";
import { CalendarAddress } from "./calendar-address.js";

await loadTexts("calendar"); // two pages show it

/** @typedef {import("signalpost/api").Schemas["CalendarLink"]} CalendarLink */

/** What people plan with, as statuses. @type {() => Record<string, [string, string[]]>} */
const CHOICES = () => ({
  "": [t("All posts"), []],
  planned: [
    t("Planned and published, without drafts"),
    ["scheduled", "queued", "publishing", "published", "partial"],
  ],
  published: [t("Published only"), ["published", "partial"]],
  draft: [t("Drafts only"), ["draft"]],
});

/**
 * @param {{
 *   filters: {profileId?: string, accountId?: string, tag?: string}, onClose: () => void
 * }} props `filters`: of the calendar, with which the link begins
 */
export default function Subscribe({ filters, onClose }) {
  const { profileId = "", accountId = "", tag = "" } = filters;
  const [link, setLink] = useState(/** @type {CalendarLink | null} */ (null));
  const nameOf = (/** @type {string} */ id) => profiles.value?.find((profile) => profile.id === id)?.name;
  const form = useForm(
    { profileId, accountId, tag, campaign: "", which: "", name: "" },
    async ({ which, name, ...values }) => {
      const only = Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim()));
      const body = {
        ...only,
        name: name.trim() || nameOf(values.profileId) || allClients(),
        statuses: CHOICES()[which][1],
        language: Object.hasOwn(LANGUAGES, language.value) ? language.value : "en",
      };
      setLink(await post("/calendar-links", body));
    },
  );
  if (link) return html`<${CalendarAddress} link=${link} onClose=${onClose} />`;
  const { values } = form;
  const choices = (accounts.value ?? []).filter(
    (account) => !values.profileId || account.profileId === values.profileId,
  );
  return html`
    <${FormDialog}
      title=${t("Subscribe to posts")}
      form=${form}
      submit=${t("Make the link")}
      onClose=${onClose}
    >
      <p>
        ${t(
          "Google, Apple, Outlook and other calendars show when posts go out, and follow when they are moved. What is in Signalpost does not change.",
        )}
      </p>
      <${Field}
        label=${t("Client")}
        options=${[["", allClients()], ...profileOptions()]}
        value=${values.profileId}
        error=${errorAt(form.problem, "profileId")}
        onInput=${(/** @type {string} */ id) => form.change({ profileId: id, accountId: "" })}
      />
      <${Field}
        label=${t("Account")}
        options=${[
          ["", t("All accounts")],
          ...choices.map((account) => [
            account.id,
            `${account.username} · ${networkName(account.platform)}`,
          ]),
        ]}
        ...${form.field("accountId")}
      />
      <${Field}
        label=${t("Posts")}
        options=${Object.entries(CHOICES()).map(([key, [name]]) => [key, name])}
        ...${form.field("which")}
      />
      <${Field} label=${t("Tag")} maxlength="100" ...${form.field("tag")} />
      <${Field} label=${t("Campaign")} maxlength="100" ...${form.field("campaign")} />
      <${Field}
        label=${t("Name of the calendar")}
        placeholder=${nameOf(values.profileId) ?? allClients()}
        maxlength="100"
        ...${form.field("name")}
      />
    <//>
  `;
}
