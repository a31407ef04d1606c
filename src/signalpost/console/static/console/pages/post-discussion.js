// What the team, and those with a link for approval, say about a post; nothing of it is published.
import { html, useState } from "../html.js";
import { all, newKey, post as send, remove } from "../api.js";
import { useLoad } from "../hooks.js";
import { loadTexts, t } from "../i18n.js";
import { useLive } from "../live.js";
import { me } from "../store.js";
import { Time } from "../time.js";
import { Button } from "../components/button.js";
import { CheckList } from "../components/check-list.js";
import { Field } from "../components/field.js";
import { errorAt, useForm } from "../components/form.js";
import { Loaded } from "../components/loaded.js";
import { Card } from "../components/page.js";
import { ProblemBox } from "../components/problem-box.js";
import { toastProblem } from "../components/toasts.js";

await loadTexts("post"); // pages of other names show this, too

/** @typedef {import("signalpost/api").Schemas["PostMessage"]} PostMessage */

/** @param {{id: string, loaded: ReturnType<typeof useLoad<PostMessage[]>>}} props of the post */
export default function Discussion({ id, loaded }) {
  const [answered, setAnswered] = useState(/** @type {PostMessage | null} */ (null));
  useLive(loaded.reload, { seconds: 30, active: true, concerns: ({ subject }) => subject === id });
  return html`
    <${Card} title=${t("Discussion")}>
      <${Loaded} loaded=${loaded} lines=${2}>
        ${(/** @type {PostMessage[]} */ messages) =>
          messages.length ? html`
            <ol class="timeline">
              ${messages.map((message) => html`
                <${Entry}
                  key=${message.id}
                  message=${message}
                  answers=${messages.find((other) => other.id === message.replyTo)}
                  reply=${() => setAnswered(message)}
                  reload=${loaded.reload}
                />
              `)}
            </ol>
          ` : html`
            <p class="soft">${t("Nobody has said anything yet. Nothing of it is published.")}</p>
          `
        }
      <//>
      ${me.value?.role !== "viewer" && html`
        <${Write}
          key=${answered?.id ?? ""}
          id=${id}
          answered=${answered}
          onDone=${() => {
            setAnswered(null);
            return loaded.reload();
          }}
          onCancel=${() => setAnswered(null)}
        />
      `}
    <//>
  `;
}

/**
 * @param {{
 *   message: PostMessage, answers: PostMessage | undefined, reply: () => void, reload: () => Promise<void>
 * }} props
 */
function Entry({ message, answers, reply, reload }) {
  const { author } = message;
  const mayDelete = author.id === me.value?.user.id || ["owner", "admin"].includes(me.value?.role);
  const drop = () => remove(`/posts/${message.postId}/discussion/${message.id}`).then(reload, toastProblem);
  return html`
    <li>
      <div>
        <strong>${author.name}</strong>
        <span class="soft">
          ${author.type === "approval_link" && ` (${t("by link")})`}${" "}
          <${Time} at=${message.createdAt} kind="relative" />
        </span>
      </div>
      ${answers && html`
        <div class="soft small">
          ${t("to {name}:", { name: answers.author.name ?? "" })}${" "}
          <span dir="auto">${answers.text.slice(0, 80)}</span>
        </div>
      `}
      <p class="post-text" dir="auto">
        ${message.text}
      </p>
      ${message.mentions.length > 0 && html`
        <div class="soft small">
          ${t("Mentioned: {names}", { names: message.mentions.map(({ name }) => name).join(", ") })}
        </div>
      `}
      ${me.value?.role !== "viewer" && html`
        <div class="actions">
          <${Button} kind="quiet" onClick=${reply}>
            ${t("Reply")}
            <span class="hidden"> ${author.name}</span>
          <//>
          ${mayDelete && html`
            <${Button} kind="quiet" onClick=${drop}>
              ${t("Delete")}
              <span class="hidden"> ${message.text.slice(0, 40)}</span>
            <//>
          `}
        </div>
      `}
    </li>
  `;
}

/**
 * @param {{
 *   id: string, answered: PostMessage | null, onDone: () => Promise<void>, onCancel: () => void
 * }} props
 */
function Write({ id, answered, onDone, onCancel }) {
  const [mentioning, setMentioning] = useState(false);
  const form = useForm({ text: "", mentions: /** @type {string[]} */ ([]) }, async ({ text, mentions }) => {
    const body = { text: text.trim(), mentions, replyTo: answered?.id ?? null };
    await send(`/posts/${id}/discussion`, body, { key: newKey() });
    form.change({ text: "", mentions: [] });
    await onDone();
  });
  return html`
    <form
      onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        void form.submit();
      }}
    >
      ${form.problem && html`<${ProblemBox} problem=${form.problem} />`}
      <${Field}
        label=${
          answered ? t("Answer to {name}", { name: answered.author.name ?? "" }) : t("Write to the team")
        }
        rows=${2}
        maxlength="2000"
        autofocus=${Boolean(answered)}
        ...${form.field("text")}
      />
      ${mentioning && html`
        <${People}
          value=${form.values.mentions}
          onInput=${(/** @type {string[]} */ mentions) => form.change({ mentions })}
        />
        <p class="error">${errorAt(form.problem, "mentions")}</p>
      `}
      <div class="actions">
        <${Button} type="submit" busy=${form.busy} disabled=${!form.values.text.trim()}>
          ${t("Send")}
        <//>
        ${!mentioning && html`
          <${Button} kind="quiet" onClick=${() => setMentioning(true)}>
            ${t("Mention someone")}
          <//>
        `}
        ${answered && html`
          <${Button} kind="quiet" onClick=${onCancel}>
            ${t("Cancel")}
          <//>
        `}
      </div>
    </form>
  `;
}

/** @typedef {import("signalpost/api").Schemas["Member"]} Member */

/** Who is mentioned. @param {{value: string[], onInput: (ids: string[]) => void}} props */
function People({ value, onInput }) {
  const loaded = useLoad(() => all("/team", {}, 200), []);
  return html`
    <${Loaded} loaded=${loaded} lines=${2}>
      ${(/** @type {Member[]} */ team) => html`
        <div role="group" aria-label=${t("Mention someone")}>
          <${CheckList}
            options=${team
              .filter((member) => member.status === "active")
              .map((member) => [member.id, member.name ?? member.email])}
            value=${value}
            onInput=${onInput}
          />
        </div>
      `}
    <//>
  `;
}
