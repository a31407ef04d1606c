// The trash: posts that were deleted lately, each with a way back.
import { html, useEffect, useState } from "../html.js";
import { post as send, remove } from "../api.js";
import { Button, LinkButton } from "../components/button.js";
import { ConfirmDialog } from "../components/confirm-dialog.js";
import { Empty } from "../components/empty.js";
import { Loaded } from "../components/loaded.js";
import { More, usePages } from "../components/more.js";
import { Page } from "../components/page.js";
import { Table } from "../components/table.js";
import { toast, toastProblem } from "../components/toasts.js";
import { useAction } from "../hooks.js";
import { t } from "../i18n.js";
import { Networks, titleOf } from "../post-parts.js";
import { mayEdit, mayPurge } from "../rights.js";
import { to } from "../router.js";
import { loadBasics, loadPlatforms, profiles } from "../store.js";
import { Time } from "../time.js";

/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
/** @typedef {import("signalpost/api").Schemas["PostList"]} PostList */

const LIMIT = 50;

/** @param {{query: Record<string, string>}} props */
export default function Trash({ query: { profileId } }) {
  const filters = { profileId, limit: LIMIT };
  const loaded = usePages("/posts/trash", filters);
  const [purging, setPurging] = useState(/** @type {Post | null} */ (null));
  useEffect(() => {
    Promise.all([loadBasics(), loadPlatforms()]).catch(toastProblem);
  }, []);
  return html`
    <${Page}
      title=${t("Trash")}
      subtitle=${t("Posts stay here for 30 days.")}
      actions=${
        html`<${LinkButton} href=${to("posts")} icon="posts">
          ${t("All posts")}
        <//>`
      }
    >
      <${Loaded} loaded=${loaded} lines=${6}>
        ${(/** @type {PostList} */ page) =>
          page.data.length ? html`
            <${Table}
              label=${t("Trash")}
              columns=${[t("Post"), t("Client"), t("Networks"), t("Deleted"), t("Gone for good"), ""]}
              atFirst=${Infinity}
              rows=${page.data.map((post) => ({
                key: post.id,
                cells: cellsOf(post, loaded.reload, () => setPurging(post)),
              }))}
            />
            <${More} path="/posts/trash" query=${filters} page=${page} setPage=${loaded.setData} />
          ` : html`
            <${Empty} title=${t("The trash is empty")} icon="trash">
              ${t("Posts that you delete can be restored from here for 30 days.")}
            <//>
          `
        }
      <//>
      ${purging && html`
        <${Purge} post=${purging} onClose=${() => setPurging(null)} reload=${loaded.reload} />
      `}
    <//>
  `;
}

/** @param {Post} post @param {() => Promise<void>} reload @param {() => void} purge */
const cellsOf = (post, reload, purge) => [
  html`<span class="clip" dir="auto">
    ${titleOf(post)}
  </span>`,
  html`<span dir="auto">
    ${profiles.value?.find((profile) => profile.id === post.profileId)?.name ?? t("deleted client")}
  </span>`,
  html`<${Networks} post=${post} />`,
  html`<${Time} at=${post.deletedAt} kind="relative" />`,
  html`<${Time} at=${post.purgeAt} kind="relative" />`,
  html`
    ${mayEdit(post) && html`<${Restore} post=${post} reload=${reload} />`}${" "}
    ${mayPurge(post) && html`
      <${Button} kind="danger" icon="trash" onClick=${purge}>
        ${t("Delete for good")}
        <span class="hidden"> ${titleOf(post).slice(0, 100)}</span>
      <//>
    `}
  `,
];

/** @param {{post: Post, reload: () => Promise<void>}} props */
function Restore({ post, reload }) {
  const [busy, restore] = useAction(async () => {
    const { status } = await send(`/posts/${post.id}/restore`);
    toast(status === "draft" ? t("Restored, as a draft.") : t("Restored."));
    await reload();
  });
  return html`
    <${Button} icon="retry" busy=${busy} onClick=${restore}>
      ${t("Restore")}
      <span class="hidden"> ${titleOf(post).slice(0, 100)}</span>
    <//>
  `;
}

/** @param {{post: Post, onClose: () => void, reload: () => Promise<void>}} props */
function Purge({ post, onClose, reload }) {
  const purge = async () => {
    await remove(`/posts/${post.id}`, { query: { permanent: true } });
    toast(t("Deleted for good."));
    onClose();
    await reload();
  };
  return html`
    <${ConfirmDialog}
      title=${t("Delete this post for good?")}
      confirm=${t("Delete for good")}
      act=${purge}
      onClose=${onClose}
    >
      <p>${t("Nobody can restore it afterwards. What is published stays at the networks.")}</p>
    <//>
  `;
}
