// Approval of a post: who asked, what was decided, and the decision.
import { html, useState } from "../html.js";
import { Problem, newKey, post as send } from "../api.js";
import { Icon } from "../icons.js";
import { loadTexts, t } from "../i18n.js";
import { useAction } from "../hooks.js";
import { mayDecide } from "../rights.js";
import { Time, zoneLabel } from "../time.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Field } from "../components/field.js";
import { toast, toastProblem } from "../components/toasts.js";

/** @typedef {import("signalpost/api").Schemas["Post"]} Post */

await loadTexts("post"); // pages of other names show this, too

/** Who asked, what was decided, and the decision. @param {{post: Post, reload: () => Promise<void>}} props */
export default function Approval({ post, reload }) {
  const [deciding, setDeciding] = useState("");
  const { state, requestedBy, requestedAt, decidedBy, decidedAt, note } = post.approval;
  const isPending = state === "pending";
  const sentence = isPending
    ? t("{name} asks for approval.", { name: requestedBy?.name ?? "" })
    : state === "rejected"
      ? t("{name} rejected this post.", { name: decidedBy?.name ?? "" })
      : t("{name} requested changes.", { name: decidedBy?.name ?? "" });
  return html`
    <div class=${`notice ${state === "rejected" ? "bad" : "warn"}`} role="status">
      <${Icon} name=${isPending ? "question" : state === "rejected" ? "cross" : "compose"} />
      <div>
        <p>
          <strong>${sentence}</strong>${" "}
          <span class="soft">
            <${Time} at=${isPending ? requestedAt : decidedAt} kind="relative" />
          </span>
        </p>
        ${note && html`<p dir="auto">${note}</p>`}
        ${isPending &&
          (mayDecide() ? html`
            <div class="actions">
              <${Button} kind="primary" icon="check" onClick=${() => setDeciding("approve")}>
                ${t("Approve")}
              <//>
              <${Button} icon="compose" onClick=${() => setDeciding("changes")}>
                ${t("Request changes")}
              <//>
              <${Button} kind="danger" icon="cross" onClick=${() => setDeciding("reject")}>
                ${t("Reject")}
              <//>
            </div>
          ` : html`
            <p class="soft">${t("An owner, admin or approver decides.")}</p>
          `)}
      </div>
    </div>
    ${deciding && html`
      <${Decide}
        post=${post}
        decision=${deciding}
        onClose=${() => setDeciding("")}
        reload=${reload}
      />
    `}
  `;
}

/**
 * A decision is about the version that was read.
 * @param {{post: Post, decision: string, onClose: () => void, reload: () => Promise<void>}} props
 */
export function Decide({ post, decision, onClose, reload }) {
  const [note, setNote] = useState("");
  const approves = decision === "approve";
  const [busy, decide] = useAction(async () => {
    try {
      await send(
        `/posts/${post.id}/${approves ? "approve" : "reject"}`,
        {
          version: post.version,
          note: note.trim() || undefined,
          changesRequested: decision === "changes" || undefined,
        },
        { key: newKey() },
      );
    } catch (error) {
      // What was typed stays.
      if (!(error instanceof Problem) || error.code !== "version_conflict") throw error;
      toastProblem(error);
      onClose();
      return reload();
    }
    toast(
      approves
        ? t("Approved.")
        : decision === "changes"
          ? t("The author sees what to change.")
          : t("Rejected. It is not published."),
    );
    onClose();
    return reload();
  });
  const title = approves
    ? t("Approve this post?")
    : decision === "changes"
      ? t("Request changes?")
      : t("Reject this post?");
  const verb = approves ? t("Approve") : decision === "changes" ? t("Request changes") : t("Reject");
  return html`
    <${Dialog}
      title=${title}
      onClose=${onClose}
      onSubmit=${decide}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Not now")}<//>
          <${Button} kind=${decision === "reject" ? "danger" : "primary"} type="submit" busy=${busy}>
            ${verb}
          <//>
        `
      }
    >
      ${approves && html`<${PublishedWhen} post=${post} />`}
      <${Field}
        label=${t("Note to the author")}
        rows=${3}
        value=${note}
        onInput=${setNote}
        maxlength="2000"
        autofocus
      />
    <//>
  `;
}

/** @param {{post: Post}} props */
function PublishedWhen({ post }) {
  return html`
    <p>
      ${post.scheduledAt && new Date(post.scheduledAt) > new Date() ? html`
        ${t("It is published at its time:")} <${Time} at=${post.scheduledAt} timeZone=${post.timezone} /> ·${" "}
        ${zoneLabel(post.timezone, new Date(post.scheduledAt))}
      ` : (
        t("It is published now.")
      )}
    </p>
  `;
}
