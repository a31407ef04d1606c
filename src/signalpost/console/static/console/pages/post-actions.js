// What can be done with a post.
import { html, useEffect, useState } from "../html.js";
import { newKey, post as send, remove } from "../api.js";
import { t } from "../i18n.js";
import { useAction } from "../hooks.js";
import { mayDecide, mayEdit, mayPurge } from "../rights.js";
import { go, to } from "../router.js";
import { loadBasics, may, profiles } from "../store.js";
import { Button, LinkButton } from "../components/button.js";
import { Check } from "../components/field.js";
import { FormDialog, useForm } from "../components/form.js";
import { lazyDialog } from "../components/lazy.js";
import { toast, toastProblem } from "../components/toasts.js";

const PassOn = lazyDialog(() => import("./post-fanout.js"));

/** @typedef {import("signalpost/api").Schemas["Post"]} Post */

const ApprovalLink = lazyDialog(() => import("./approvals-link.js"));

/** @param {{post: Post, reload: () => Promise<void>}} props */
export function Actions({ post, reload }) {
  const [asking, setAsking] = useState(/** @type {"" | "delete" | "pass on"} */ (""));
  useEffect(() => {
    loadBasics().catch(toastProblem);
  }, []);
  const canCancel =
    (may("posts:publish") || mayEdit(post)) && ["scheduled", "queued"].includes(post.status);
  const canEdit = mayEdit(post) && !["published", "publishing", "partial"].includes(post.status);
  const [busy, cancel] = useAction(async () => {
    await remove(`/queue/cancel/${post.id}`);
    toast(t("Taken off the queue; it is a draft now."), {
      undo:
        post.scheduledAt && new Date(post.scheduledAt) > new Date()
          ? () =>
              send(`/queue/submit/${post.id}`, { scheduledAt: post.scheduledAt }).then(reload, toastProblem)
          : undefined,
    });
    await reload();
  });
  return html`
    ${canEdit && html`
      <${LinkButton} href=${to(`compose/${post.id}`)} icon="compose">
        ${t("Edit")}
      <//>
    `}
    ${post.status === "draft" && may("posts:publish") && html`<${Submit} post=${post} reload=${reload} />`}
    ${post.status === "draft" &&
      post.approval.state !== "pending" &&
      mayEdit(post) &&
      !may("posts:publish") && html`<${Offer} post=${post} reload=${reload} />`}
    ${mayDecide() &&
      (post.approval.state === "pending" || (post.status === "draft" && may("posts:write"))) && html`
        <${AskByLink} post=${post} reload=${reload} />
      `}
    ${canCancel && html`
      <${Button} icon="pause" busy=${busy} onClick=${cancel}>
        ${t("Take off the queue")}
      <//>
    `}
    ${may("posts:write") && html`
      <${LinkButton} href=${to("compose", { copy: post.id })} icon="copy">
        ${t("Duplicate")}
      <//>
      ${(profiles.value?.length ?? 0) > 1 && html`
        <${Button} icon="repeat" onClick=${() => setAsking("pass on")}>
          ${t("Pass on…")}
        <//>
      `}
      `}
    ${mayEdit(post) && html`
      <${Button} kind="danger" icon="trash" onClick=${() => setAsking("delete")}>
        ${t("Delete")}
      <//>
    `}
    ${asking === "delete" && html`<${Delete} post=${post} onClose=${() => setAsking("")} />`}
    ${asking === "pass on" && html`<${PassOn} post=${post} onClose=${() => setAsking("")} />`}
  `;
}

/** @param {{post: Post, reload: () => Promise<void>}} props */
function Submit({ post, reload }) {
  const [key] = useState(newKey);
  const [busy, submit] = useAction(async () => {
    await send(`/queue/submit/${post.id}`, {}, { key });
    await reload();
  });
  return html`
    <${Button} kind="primary" icon="send" busy=${busy} onClick=${submit}>
      ${post.scheduledAt && new Date(post.scheduledAt) > new Date() ? t("Schedule") : t("Publish now")}
    <//>
  `;
}

/** What someone may do who does not publish. @param {{post: Post, reload: () => Promise<void>}} props */
function Offer({ post, reload }) {
  const [busy, offer] = useAction(async () => {
    await send(`/posts/${post.id}/request-approval`, { version: post.version }, { key: newKey() });
    toast(t("Approval is requested."));
    await reload();
  });
  return html`
    <${Button} kind="primary" icon="check" busy=${busy} onClick=${offer}>
      ${t("Ask for approval")}
    <//>
  `;
}

/** @param {{post: Post, reload: () => Promise<void>}} props */
function AskByLink({ post, reload }) {
  const [asking, setAsking] = useState(false);
  const close = () => {
    setAsking(false);
    void reload();
  };
  return html`
    <${Button} icon="link" onClick=${() => setAsking(true)}>
      ${t("Ask for approval by link")}
    <//>
    ${asking && html`<${ApprovalLink} posts=${[post]} onClose=${close} />`}
  `;
}

/** @param {{post: Post, onClose: () => void}} props */
function Delete({ post, onClose }) {
  const isPublic = post.targets.some((target) => target.status === "published");
  const form = useForm({ cascade: false }, async ({ cascade }) => {
    await remove(`/posts/${post.id}`, { query: { cascade: cascade || undefined } });
    const undo = cascade
      ? undefined
      : () => send(`/posts/${post.id}/restore`, {}).then(() => go(`posts/${post.id}`), toastProblem);
    toast(t("Moved to the trash."), { undo });
    go("posts");
  });
  return html`
    <${FormDialog}
      title=${t("Delete this post?")}
      form=${form}
      kind="danger"
      submit=${t("Delete")}
      cancel=${t("Keep it")}
      onClose=${onClose}
    >
      <p>${t("It goes to the trash and can be restored for 30 days. What waits is not published.")}</p>
      ${isPublic && mayPurge(post) && html`
        <${Check}
          label=${t("Also remove it from the networks")}
          hint=${t("This cannot be undone.")}
          ...${form.check("cascade")}
        />
      `}
    <//>
  `;
}
