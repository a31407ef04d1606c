// Ask someone without a login to approve posts: a link for one post, for some, or for a month of a client.
import { html, useState } from "../html.js";
import { all, post as send } from "../api.js";
import { useLoad } from "../hooks.js";
import { loadTexts, t, tn } from "../i18n.js";
import { titleOf } from "../post-parts.js";
import { profiles, workspaceZone } from "../store.js";
import { addMonths, dateOf, dayName, dayStart } from "../zones.js";
import { CheckList } from "../components/check-list.js";
import { Field } from "../components/field.js";
import { FormDialog, errorAt, useForm } from "../components/form.js";
import { Loaded } from "../components/loaded.js";
import { ProfileField, firstProfile } from "../components/profile-field.js";
import { SecretDialog } from "../components/secret-dialog.js";

await loadTexts("approvals"); // the page of a post shows this, too

/** @typedef {import("signalpost/api").Schemas["ApprovalLink"]} ApprovalLinkData */
/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
/**
 * @typedef {{
 *   profileId: string, which: string, postIds: string[], days: string, email: string, message: string
 * }} Values
 */

const MONTHS = 4;
const DAY_MS = 86_400_000;
const CHOSEN = "chosen";
const monthName = (/** @type {string} */ day) => dayName(day, { month: "long", year: "numeric" });

/** The first days of this month and the next ones, where the client is. @param {string} timeZone */
const monthsOf = (timeZone) => {
  const first = `${dateOf(new Date(), timeZone).slice(0, 7)}-01`;
  return Array.from({ length: MONTHS }, (_, index) => addMonths(first, index));
};

/** @param {string} profileId */
const zoneOf = (profileId) =>
  profiles.value?.find(({ id }) => id === profileId)?.timezone ?? workspaceZone.value;

/**
 * @param {{posts?: Post[], onClose: (created: boolean) => void}} props without `posts`, they are chosen
 */
export default function ApprovalLink({ posts, onClose }) {
  const [link, setLink] = useState(/** @type {ApprovalLinkData | null} */ (null));
  const form = useForm(
    {
      profileId: firstProfile(),
      which: CHOSEN,
      postIds: posts?.map(({ id }) => id) ?? /** @type {string[]} */ ([]),
      days: "14",
      email: "",
      message: "",
    },
    async (values) => setLink(await send("/approval-links", bodyOf(values))),
  );
  if (link)
    return html`
      <${SecretDialog}
        title=${t("Send this link")}
        note=${t(
          "It is shown only now. Whoever has it sees these posts and nothing else, and may decide on them.",
        )}
        secret=${link.url ?? ""}
        onClose=${() => onClose(true)}
      >
        <p class="soft">
          ${tn(link.posts, "{n} post", "{n} posts")}
          ${link.email &&
            ` · ${t("Opening it needs a code that is mailed to {email}.", { email: link.email })}`}
        </p>
      <//>
    `;
  const { values } = form;
  return html`
    <${FormDialog}
      title=${t("Ask for approval by link")}
      form=${form}
      submit=${t("Make the link")}
      disabled=${values.which === CHOSEN && !values.postIds.length}
      onClose=${() => onClose(false)}
    >
      ${posts ? html`
        <p class="post-text">
          ${posts.length === 1 ? titleOf(posts[0]).slice(0, 120) : tn(posts.length, "{n} post", "{n} posts")}
        </p>
      ` : html`
        <${Which} form=${form} />
      `}
      <${Field} label=${t("Message")} rows=${3} maxlength="500" ...${form.field("message")} />
      <${Field}
        label=${t("It works for")}
        options=${[3, 7, 14, 30, 90].map((days) => [String(days), tn(days, "{n} day", "{n} days")])}
        value=${values.days}
        error=${errorAt(form.problem, "expiresAt")}
        onInput=${(/** @type {string} */ days) => form.change({ days })}
      />
      <${Field}
        label=${t("Only for this e-mail address")}
        hint=${t("If you enter one, opening the link needs a code that is mailed there.")}
        type="email"
        autocomplete="off"
        ...${form.field("email")}
      />
    <//>
  `;
}

/** @param {Values} values */
function bodyOf({ profileId, which, postIds, days, email, message }) {
  const timeZone = zoneOf(profileId);
  const posts =
    which === CHOSEN
      ? { postIds }
      : {
          profileId,
          from: dayStart(which, timeZone).toISOString(),
          to: dayStart(addMonths(which, 1), timeZone).toISOString(),
        };
  return {
    ...posts,
    expiresAt: new Date(Date.now() + Number(days) * DAY_MS - 60_000).toISOString(),
    email: email.trim() || null,
    message: message.trim() || null,
  };
}

/** Which posts of which client. @param {{form: ReturnType<typeof useForm<Values>>}} props */
function Which({ form }) {
  const { profileId, which, postIds } = form.values;
  const waiting = useLoad(() => all("/posts", { approval: "pending", profileId }, 200), [profileId]);
  return html`
    <${ProfileField}
      value=${profileId}
      onInput=${(/** @type {string} */ id) => form.change({ profileId: id, postIds: [] })}
    />
    <${Field}
      label=${t("Posts")}
      options=${[
        [CHOSEN, t("Chosen ones")],
        ...monthsOf(zoneOf(profileId)).map((day) => [
          day,
          t("All that wait in {month}", { month: monthName(day) }),
        ]),
      ]}
      value=${which}
      error=${errorAt(form.problem, "profileId")}
      onInput=${(/** @type {string} */ choice) => form.change({ which: choice })}
    />
    ${which === CHOSEN && html`
      <${Loaded} loaded=${waiting} lines=${3}>
        ${(/** @type {Post[]} */ posts) =>
          posts.length ? html`
            <div role="group" aria-label=${t("Posts that wait for approval")}>
              <${CheckList}
                options=${posts.map((post) => [post.id, titleOf(post).slice(0, 80)])}
                value=${postIds}
                onInput=${(/** @type {string[]} */ ids) => form.change({ postIds: ids })}
              />
            </div>
          ` : html`
            <p class="soft">${t("No post waits for a decision.")}</p>
          `
        }
      <//>
    `}
  `;
}
