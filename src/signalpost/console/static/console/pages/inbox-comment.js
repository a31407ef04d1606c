// A comment: the post that it is about, what was said there, and the answer to it.
import { html, useState } from "../html.js";
import { all, get, patch, post, remove } from "../api.js";
import { Button } from "../components/button.js";
import { ConfirmDialog } from "../components/confirm-dialog.js";
import { Loaded } from "../components/loaded.js";
import { Card, Page } from "../components/page.js";
import { toast } from "../components/toasts.js";
import { useAction, useLoad } from "../hooks.js";
import { t } from "../i18n.js";
import { useCommands } from "../keys.js";
import { useLive } from "../live.js";
import { titleOf } from "../post-parts.js";
import { isMine, mayDecide } from "../rights.js";
import { go, to } from "../router.js";
import { accountOf, loadBasics, loadPlatforms, may, networkName } from "../store.js";
import { Time } from "../time.js";
import { Notes } from "./inbox-notes.js";
import { ReplyForm } from "./inbox-reply.js";
import { actionWords, replyErrorWords, replyWords, ruleErrorWords, stateWords } from "./inbox-words.js";

/** @typedef {import("signalpost/api").Schemas["Comment"]} Comment */
/** @typedef {import("signalpost/api").Schemas["CommentReply"]} CommentReply */
/** @typedef {import("signalpost/api").Schemas["CommentRuleUse"]} CommentRuleUse */
/** @typedef {import("signalpost/api").Schemas["CommentThread"]} CommentThread */
/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
/** @typedef {import("signalpost/api").Schemas["Member"]} Member */

const isUnderWay = (/** @type {CommentReply} */ { state }) => state === "sending" || state === "pending";

/** @param {{id: string, answers?: boolean}} props `answers`: the page begins in the field for the answer */
export default function CommentPage({ id, answers }) {
  const loaded = useLoad(async () => {
    await Promise.all([loadBasics(), loadPlatforms()]);
    const comment = await get(`/comments/${id}`);
    const [about, threads, members, uses] = await Promise.all([
      get(`/posts/${comment.postId}`),
      all(`/posts/${comment.postId}/comments`, {}, 200),
      may("team:read") ? all("/team") : [],
      all("/comment-rules/uses", { commentId: id }, 50),
    ]);
    return { comment, about, threads, members, uses };
  }, [id]);
  useLive(loaded.reload, {
    seconds: loaded.data?.comment.replies.some(isUnderWay) ? 3 : 30,
    concerns: ({ subject }) => subject === id,
  });
  return html`
    <${Loaded} loaded=${loaded} lines=${6}>
      ${(/** @type {typeof loaded.data} */ data) => html`
        <${Shown} ...${data} answers=${answers} reload=${loaded.reload} />
      `}
    <//>
  `;
}

/**
 * @param {{
 *   comment: Comment, about: Post, threads: CommentThread[], members: Member[], uses: CommentRuleUse[],
 *   answers?: boolean, reload: () => Promise<void>
 * }} props
 */
function Shown({ comment, about, threads, members, uses, answers, reload }) {
  const end = async () => {
    await patch(`/comments/${comment.id}`, { state: comment.state === "done" ? "open" : "done" });
    if (comment.state === "open") go("inbox");
    else await reload();
  };
  const [busy, finish] = useAction(end);
  useCommands(
    [
      { keys: "r", name: t("Answer"), run: () => document.querySelector("textarea")?.focus() },
      { keys: "e", name: t("Mark as done"), run: () => void finish() },
    ],
    [comment],
  );
  const target = about.targets.find(({ id }) => id === comment.targetId);
  return html`
    <${Page}
      title=${t("Comment of {name}", { name: comment.author.name || t("someone") })}
      subtitle=${html`<a href=${to("inbox")}>${t("Inbox")}</a>`}
      actions=${
        may("comments:write") && html`
          <${Button} icon="check" busy=${busy} onClick=${finish}>
            ${comment.state === "done" ? t("To do again") : t("Done")}
          <//>
        `
      }
    >
      <div class="columns">
        <div>
          <${Said} comment=${comment} uses=${uses} reload=${reload} />
          ${may("comments:write") && comment.actions.reply && html`
            <${ReplyForm} comment=${comment} autofocus=${answers} reload=${reload} />
          `}
        </div>
        <div>
          <${Card} title=${t("The post")}>
            <p class="post-text" dir="auto">
              ${titleOf(about).slice(0, 600)}
            </p>
            <p class="soft">
              ${networkName(comment.platform)} · @${accountOf(comment.accountId)?.username} ·${" "}
              ${target?.publishedAt && html`<${Time} at=${target.publishedAt} />`}
            </p>
            <p class="actions">
              <a href=${to(`posts/${about.id}`)}>${t("Open the post")}</a>
              ${target?.url && html`
                <a href=${target.url} target="_blank" rel="noreferrer">
                  ${t("At the network")}
                </a>
              `}
            </p>
          <//>
          ${may("comments:write") && html`
            <${Notes} key=${comment.id} comment=${comment} members=${members} reload=${reload} />
          `}
          <${Others} comment=${comment} threads=${threads} />
        </div>
      </div>
    <//>
  `;
}

/** @param {{comment: Comment, uses: CommentRuleUse[], reload: () => Promise<void>}} props */
function Said({ comment, uses, reload }) {
  const { author } = comment;
  return html`
    <${Card} title=${t("Comment")}>
      <p>
        <strong dir="auto">${author.name || t("someone")}</strong>${" "}
        ${author.handle && html`<span class="soft">@${author.handle}</span>`}${" "}
        <span class="soft">
          <${Time} at=${comment.postedAt} />
        </span>
      </p>
      <p class="post-text" dir="auto">
        ${comment.deletedAt ? t("This comment was deleted.") : comment.text || t("Without text")}
      </p>
      <p class="soft">
        ${stateWords(comment)}
        ${comment.editedAt && html`
          ${" "}
          · ${t("edited")} <${Time} at=${comment.editedAt} kind="relative" />
        `}
      </p>
      ${uses.map((use) => html`
        <p key=${use.id} class="soft">
          ${t("Rule {name}:", { name: use.ruleName })} ${actionWords(use)}
          ${use.error && html`
            ${" "}
            <span class="error">${ruleErrorWords(use.error)}</span>
          `}
        </p>
      `)}
      <${Actions} comment=${comment} reload=${reload} />
      ${comment.replies.length > 0 && html`
        <ol class="timeline">
          ${comment.replies.map((reply) => html`
            <${Reply} key=${reply.id} reply=${reply} platform=${comment.platform} reload=${reload} />
          `)}
        </ol>
      `}
    <//>
  `;
}

/** @param {{comment: Comment, reload: () => Promise<void>}} props */
function Actions({ comment, reload }) {
  const [deleting, setDeleting] = useState(false);
  const [hiding, hide] = useAction(async () => {
    await (comment.hidden ? post(`/comments/${comment.id}/unhide`) : post(`/comments/${comment.id}/hide`));
    await reload();
  });
  const [liking, like] = useAction(async () => {
    await post(`/comments/${comment.id}/like`);
    await reload();
  });
  const mayAct = may("comments:write") && may("posts:publish"); // a contributor asks, and changes nothing there
  const { actions } = comment;
  return html`
    <p class="actions">
      ${comment.url && html`
        <a href=${comment.url} target="_blank" rel="noreferrer">
          ${t("At the network")}
        </a>
      `}
      ${mayAct && actions.like && !comment.liked && html`
        <${Button} kind="quiet" busy=${liking} onClick=${like}>
          ${t("Like")}
        <//>
      `}
      ${mayAct && actions.hide && html`
        <${Button} kind="quiet" busy=${hiding} onClick=${hide}>
          ${comment.hidden ? t("Show to others again") : t("Hide from others")}
        <//>
      `}
      ${mayAct && actions.delete && html`
        <${Button} kind="quiet" icon="trash" onClick=${() => setDeleting(true)}>
          ${t("Delete at the network")}
        <//>
      `}
    </p>
    ${deleting && html`
      <${ConfirmDialog}
        title=${t("Delete this comment at the network?")}
        confirm=${t("Delete at the network")}
        act=${async () => {
          await remove(`/comments/${comment.id}`);
          toast(t("The comment is deleted."));
          await reload();
        }}
        onClose=${() => setDeleting(false)}
      >
        <p>${t("Nobody sees it there any more. This cannot be taken back.")}</p>
      <//>
    `}
  `;
}

/** @param {{reply: CommentReply, platform: string, reload: () => Promise<void>}} props */
function Reply({ reply, platform, reload }) {
  const [approving, approve] = useAction(async () => {
    await post(`/comments/${reply.commentId}/replies/${reply.id}/approve`);
    await reload();
  });
  const [rejecting, reject] = useAction(async () => {
    await post(`/comments/${reply.commentId}/replies/${reply.id}/reject`);
    await reload();
  });
  return html`
    <li>
      <div>
        <strong dir="auto">${reply.author.name}</strong>${" "}
        <span class="soft">
          ${replyWords(reply.state)} · <${Time} at=${reply.createdAt} kind="relative" />
        </span>
      </div>
      <p class="post-text" dir="auto">
        ${reply.text}
      </p>
      ${reply.error && html`<p class="error">${replyErrorWords(reply.error)}</p>`}
      ${reply.error?.code === "content_rejected" && html`
        <p class="soft">
          ${t("{network} says:", { network: networkName(platform) })} <q lang="en">${reply.error.message}</q>
        </p>
      `}
      ${reply.state === "pending" && html`
        <p class="actions">
          ${mayDecide() && html`
            <${Button} kind="primary" icon="check" busy=${approving} onClick=${approve}>
              ${t("Approve")}
            <//>
          `}
          ${(mayDecide() || (may("comments:write") && isMine(reply.author))) && html`
            <${Button} icon="cross" busy=${rejecting} onClick=${reject}>
              ${mayDecide() ? t("Reject") : t("Take back")}
            <//>
          `}
        </p>
      `}
    </li>
  `;
}

const OTHERS_MAX = 50;

/**
 * What was said there, as threads: that of this comment first.
 * @param {{comment: Comment, threads: CommentThread[]}} props
 */
function Others({ comment, threads }) {
  const isHere = (/** @type {CommentThread} */ { comment: root, answers }) =>
    [root, ...answers].some(({ id }) => id === comment.id);
  const present = threads
    .map((thread) => ({ ...thread, answers: thread.answers.filter(({ deletedAt }) => !deletedAt) }))
    .filter(({ comment: root, answers }) => answers.length || (root.id !== comment.id && !root.deletedAt));
  let room = OTHERS_MAX;
  const visible = [...present.filter(isHere), ...present.filter((thread) => !isHere(thread))].flatMap(
    ({ comment: root, answers }) => {
      if (room < 1) return [];
      const some = answers.slice(0, room - 1);
      room -= 1 + some.length;
      return [{ root, answers: some }];
    },
  );
  if (!visible.length) return null;
  return html`
    <${Card} title=${t("Also said there")}>
      <ol class="timeline">
        ${visible.map(({ root, answers }) => html`
          <li key=${root.id}>
            <${Other} other=${root} isCurrent=${root.id === comment.id} />
            ${answers.length > 0 && html`
              <ol class="timeline">
                ${answers.map((answer) => html`
                  <li key=${answer.id}>
                    <${Other} other=${answer} isCurrent=${answer.id === comment.id} />
                  </li>
                `)}
              </ol>
            `}
          </li>
        `)}
      </ol>
    <//>
  `;
}

/** @param {{other: Comment, isCurrent: boolean}} props */
function Other({ other, isCurrent }) {
  const { author } = other;
  const text = other.deletedAt ? t("This comment was deleted.") : other.text || t("Without text");
  return html`
    <div>
      <strong dir="auto">${author.isSelf ? t("Your account") : author.name}</strong>${" "}
      <span class="soft">
        <${Time} at=${other.postedAt} kind="relative" />
      </span>
    </div>
    <p class="post-text clip" dir="auto" aria-current=${isCurrent ? "true" : undefined}>
      ${isCurrent || author.isSelf ? text : html`<a href=${to(`inbox/${other.id}`)}>${text}</a>`}
    </p>
  `;
}
