// The answer to a comment, with what is left of its length, and a warning when someone else is answering.
import { html, useState } from "../html.js";
import { newKey, post } from "../api.js";
import { Button } from "../components/button.js";
import { Field } from "../components/field.js";
import { errorAt, useForm } from "../components/form.js";
import { Card } from "../components/page.js";
import { ProblemBox } from "../components/problem-box.js";
import { toast } from "../components/toasts.js";
import { number, t } from "../i18n.js";
import { accountOf, may, me } from "../store.js";

/** @typedef {import("signalpost/api").Schemas["Comment"]} Comment */

const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const length = (/** @type {string} */ text) => [...segments.segment(text)].length;

/** @param {{comment: Comment, reload: () => Promise<void>}} props */
export function ReplyForm({ comment, reload }) {
  const earlier = comment.replies.filter(({ state }) =>
    ["pending", "sending", "sent", "unknown"].includes(state),
  );
  const [seen] = useState(earlier.length);
  const form = useForm({ text: "" }, async ({ text }) => {
    const body = { text: text.trim(), ifUnanswered: !earlier.length && !comment.answeredAt };
    await post(`/comments/${comment.id}/reply`, body, { key: newKey() });
    form.change({ text: "" });
    toast(may("posts:publish") ? t("The answer is sent.") : t("The answer waits for an approval."));
    await reload();
  });
  const limit = accountOf(comment.accountId)?.capabilities.maxTextLength;
  const left = limit ? limit - length(form.values.text) : null;
  const other = earlier.find(({ author }) => author.id !== me.value?.user.id);
  return html`
    <${Card} title=${t("Your answer")}>
      <form
        onSubmit=${(/** @type {Event} */ event) => {
          event.preventDefault();
          void form.submit();
        }}
      >
        ${form.problem && html`<${ProblemBox} problem=${form.problem} />`}
        ${(earlier.length > seen || other) && html`
          <p class="error" role="status">
            ${t("{name} has answered, or is about to.", {
              name: (other ?? earlier.at(-1))?.author.name ?? "",
            })}
          </p>
        `}
        <${Field}
          label=${t("Answer as {account}", { account: `@${accountOf(comment.accountId)?.username ?? ""}` })}
          rows=${4}
          maxlength="10000"
          value=${form.values.text}
          error=${errorAt(form.problem, "/text")}
          hint=${left === null ? "" : t("{count} characters left", { count: number(left) })}
          onInput=${(/** @type {string} */ text) => form.change({ text })}
        />
        <${Button} kind="primary" type="submit" icon="send" busy=${form.busy}>
          ${may("posts:publish") ? t("Send the answer") : t("Ask for approval")}
        <//>
      </form>
    <//>
  `;
}
