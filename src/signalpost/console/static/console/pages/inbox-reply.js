// The answer to a comment, with what is left of its length, and a warning when someone else is answering.
import { html, useEffect, useState } from "../html.js";
import { all, newKey, post, Problem } from "../api.js";
import { Button } from "../components/button.js";
import { Field } from "../components/field.js";
import { errorAt, useForm } from "../components/form.js";
import { Card } from "../components/page.js";
import { ProblemBox } from "../components/problem-box.js";
import { toast } from "../components/toasts.js";
import { useLoad } from "../hooks.js";
import { number, t } from "../i18n.js";
import { isMine } from "../rights.js";
import { to } from "../router.js";
import { accountOf, may } from "../store.js";
import { leftOf } from "../text-length.js";

/** @typedef {import("signalpost/api").Schemas["Comment"]} Comment */

/** @param {{comment: Comment, autofocus?: boolean, reload: () => Promise<void>}} props */
export function ReplyForm({ comment, autofocus, reload }) {
  const earlier = comment.replies.filter(({ state }) =>
    ["pending", "sending", "sent", "unknown"].includes(state),
  );
  const form = useForm({ text: "" }, async ({ text }) => {
    const body = { text: text.trim(), ifUnanswered: !earlier.length && !comment.answeredAt };
    try {
      await post(`/comments/${comment.id}/reply`, body, { key: newKey() });
    } catch (error) {
      if (error instanceof Problem && error.code === "comment_answered") await reload(); // shows whose answer it is
      throw error;
    }
    form.change({ text: "" });
    toast(may("posts:publish") ? t("The answer is sent.") : t("The answer waits for an approval."));
    await reload();
  });
  const rules = accountOf(comment.accountId)?.capabilities.comments.replyText;
  const left = rules ? leftOf(form.values.text.trim(), comment.author.handle, rules) : null;
  const other = earlier.findLast(({ author }) => !isMine(author));
  return html`
    <${Card} title=${t("Your answer")}>
      <form
        onSubmit=${(/** @type {Event} */ event) => {
          event.preventDefault();
          void form.submit();
        }}
      >
        ${form.problem && html`<${ProblemBox} problem=${form.problem} />`}
        ${other && html`
          <p class="error" role="status">
            ${t("{name} has answered, or is about to.", { name: other.author.name ?? "" })}
          </p>
        `}
        <${Saved}
          comment=${comment}
          text=${form.values.text}
          insert=${(/** @type {string} */ text) => form.change({ text })}
        />
        <${Field}
          label=${t("Answer as {account}", { account: `@${accountOf(comment.accountId)?.username ?? ""}` })}
          rows=${4}
          maxlength="10000"
          autofocus=${autofocus}
          value=${form.values.text}
          error=${errorAt(form.problem, "/text")}
          hint=${
            left === null
              ? ""
              : left < 0
                ? t("{count} characters too many", { count: number(-left) })
                : t("{count} characters left", { count: number(left) })
          }
          onInput=${(/** @type {string} */ text) => form.change({ text })}
        />
        <${Button} kind="primary" type="submit" icon="send" busy=${form.busy}>
          ${may("posts:publish") ? t("Send the answer") : t("Ask for approval")}
        <//>
      </form>
    <//>
  `;
}

/** @typedef {import("signalpost/api").Schemas["SavedReply"]} SavedReply */

/**
 * The saved replies for this comment: choosing one puts it in place of what was written, or behind it.
 * @param {{comment: Comment, text: string, insert: (text: string) => void}} props
 */
function Saved({ comment, text, insert }) {
  const { profileId } = comment;
  const loaded = useLoad(() => all("/saved-replies", { profileId }, 200), [profileId]);
  const replies = /** @type {SavedReply[]} */ (loaded.data ?? []);
  const [chosenId, setChosenId] = useState("");
  useEffect(() => {
    if (chosenId) setChosenId(""); // so that the same one can be chosen again
  }, [chosenId]);
  const choose = (/** @type {string} */ id) => {
    setChosenId(id);
    const chosen = replies.find((reply) => reply.id === id);
    if (!chosen) return;
    const filled = chosen.text.replaceAll("{{author}}", comment.author.name || comment.author.handle || "");
    insert(text.trim() ? `${text.trimEnd()}\n${filled}` : filled);
  };
  return html`
    ${replies.length > 0 && html`
      <${Field}
        label=${t("Saved reply")}
        value=${chosenId}
        options=${[["", t("Choose one to put it in")], ...replies.map(({ id, name }) => [id, name])]}
        onInput=${choose}
      />
    `}
    <p class="soft">
      <a href=${to("inbox/saved")}>${t("Saved replies")}</a>
    </p>
  `;
}
