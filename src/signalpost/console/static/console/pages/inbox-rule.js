// A rule in a dialog, with what it would have met before it is saved.
import { html, useEffect, useRef, useState } from "../html.js";
import { patch, post } from "../api.js";
import { CheckList } from "../components/check-list.js";
import { Button } from "../components/button.js";
import { Check, Field } from "../components/field.js";
import { FormDialog, useForm } from "../components/form.js";
import { profileOptions } from "../components/profile-field.js";
import { toast } from "../components/toasts.js";
import { useAction } from "../hooks.js";
import { number, t, tn } from "../i18n.js";
import { accounts, may, networkName } from "../store.js";
import { dateTime } from "../time.js";

/** @typedef {import("signalpost/api").Schemas["CommentRule"]} CommentRule */
/** @typedef {import("signalpost/api").Schemas["CommentRulePreview"]} CommentRulePreview */
/** @typedef {import("signalpost/api").Schemas["Member"]} Member */

const lines = (/** @type {string} */ text) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
const commas = (/** @type {string} */ text) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);

/** @param {Partial<CommentRule>} rule */
const valuesOf = (rule) => ({
  name: rule.name ?? "",
  words: rule.words?.join("\n") ?? "",
  authors: rule.authors?.join("\n") ?? "",
  profileIds: rule.profileIds ?? /** @type {string[]} */ ([]),
  platforms: rule.platforms ?? /** @type {string[]} */ ([]),
  hide: rule.hide ?? false,
  done: rule.done ?? false,
  assigneeId: rule.assigneeId ?? "",
  tags: rule.tags?.join(", ") ?? "",
});

/** @param {ReturnType<typeof valuesOf>} values */
const bodyOf = ({ words, authors, profileIds, platforms, assigneeId, tags, ...values }) => ({
  ...values,
  words: lines(words),
  authors: lines(authors),
  profileIds: profileIds.length ? profileIds : null,
  platforms: platforms.length ? platforms : null,
  assigneeId: assigneeId || null,
  tags: commas(tags),
});

/**
 * @param {{
 *   rule: Partial<CommentRule>, members: Member[], done: () => unknown, onClose: () => void
 * }} props
 */
export function RuleDialog({ rule, members, done, onClose }) {
  const form = useForm(valuesOf(rule), async (values) => {
    if (rule.id) await patch(`/comment-rules/${rule.id}`, bodyOf(values));
    else await post("/comment-rules", bodyOf(values));
    toast(t("Saved."));
    onClose();
    await done();
  });
  return html`
    <${FormDialog}
      title=${rule.id ? t("Change {name}", { name: rule.name ?? "" }) : t("New rule")}
      form=${form}
      submit=${t("Save")}
      onClose=${onClose}
    >
      <${Field} label=${t("Name")} maxlength="100" autofocus ...${form.field("name")} />
      <${Conditions} form=${form} />
      <${Effects} form=${form} members=${members} />
      <${Preview} body=${() => bodyOf(form.values)} />
    <//>
  `;
}

/** @typedef {import("../components/form.js").FormOf<ReturnType<typeof valuesOf>>} RuleForm */

/** @param {{form: RuleForm}} props */
function Conditions({ form }) {
  const clients = profileOptions();
  const networks = [...new Set((accounts.value ?? []).map(({ platform }) => platform))];
  return html`
    <${Field}
      label=${t("Words")}
      rows=${3}
      hint=${t("One to a line. A comment with one of them, as a whole word, meets the rule.")}
      ...${form.field("words")}
    />
    <${Field}
      label=${t("Usernames")}
      rows=${2}
      hint=${t("One to a line. If there are words too, both have to be met.")}
      ...${form.field("authors")}
    />
    ${clients.length > 1 && html`
      <fieldset>
        <legend>${t("Only for these clients")}</legend>
        <${CheckList}
          options=${clients}
          value=${form.values.profileIds}
          onInput=${(/** @type {string[]} */ profileIds) => form.change({ profileIds })}
        />
      </fieldset>
    `}
    ${networks.length > 1 && html`
      <fieldset>
        <legend>${t("Only at these networks")}</legend>
        <${CheckList}
          options=${networks.map((platform) => [platform, networkName(platform)])}
          value=${form.values.platforms}
          onInput=${(/** @type {string[]} */ platforms) => form.change({ platforms })}
        />
      </fieldset>
    `}
  `;
}

/** @param {{form: RuleForm, members: Member[]}} props */
function Effects({ form, members }) {
  const people = members.filter(({ status }) => status === "active");
  return html`
    ${may("posts:publish") && html`
      <${Check}
        label=${t("Hide from others")}
        hint=${t(
          "Where the network can do that; what rules did is listed, with why something was not done.",
        )}
        ...${form.check("hide")}
      />
    `}
    <${Check} label=${t("Mark as done")} ...${form.check("done")} />
    ${people.length > 0 && html`
      <${Field}
        label=${t("Who takes care of it")}
        options=${[["", t("Nobody")], ...people.map(({ id, name, email }) => [id, name ?? email])]}
        ...${form.field("assigneeId")}
      />
    `}
    <${Field}
      label=${t("Tags")}
      maxlength="1000"
      hint=${t("Separated by commas; for your team, never published.")}
      ...${form.field("tags")}
    />
  `;
}

/** What the rule would have met. @param {{body: () => object}} props */
function Preview({ body }) {
  const [result, setResult] = useState(/** @type {CommentRulePreview | null} */ (null));
  const status = useRef(/** @type {HTMLDivElement | null} */ (null));
  useEffect(() => {
    if (result) status.current?.scrollIntoView({ block: "nearest" });
  }, [result]);
  const [busy, look] = useAction(async () => {
    setResult(null);
    setResult(await post("/comment-rules/preview", body()));
  });
  return html`
    <p>
      <${Button} icon="search" busy=${busy} onClick=${look}>
        ${t("What would it have met?")}
      <//>
    </p>
    <div role="status" ref=${status}>
      ${result && html`
        <p>
          ${tn(result.matched, "{n} comment would have met it.", "{n} comments would have met it.")}${" "}
          <span class="soft">
            ${t("Of {count}, since {time}.", {
              count: number(result.lookedAt),
              time: dateTime(result.since),
            })}
          </span>
        </p>
        <ul class="list">
          ${result.comments.map((comment) => html`
            <li key=${comment.id}>
              <span class="clip" dir="auto">
                <strong>${comment.author.name}</strong> ${comment.text}
              </span>
            </li>
          `)}
        </ul>
        `}
    </div>
  `;
}
