// Drafts without a time, to be dragged to a day, or given a time in a dialog.
import { html, useEffect } from "../html.js";
import { t, tn } from "../i18n.js";
import { useLive } from "../live.js";
import { Networks, titleOf } from "../post-parts.js";
import { to } from "../router.js";
import { may } from "../store.js";
import { Button, LinkButton } from "../components/button.js";
import { Loaded } from "../components/loaded.js";
import { More, usePages } from "../components/more.js";
import { dragged, drafts } from "./calendar-post.js";

/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
/** @typedef {import("signalpost/api").Schemas["PostList"]} PostList */

/** @param {{profileId: string, open: (post: Post) => void, onClose: () => void}} props */
export default function Drafts({ profileId, open, onClose }) {
  const query = { status: /** @type {const} */ ("draft"), profileId, limit: 100 };
  const loaded = usePages("/posts", query);
  useLive(loaded.reload, { seconds: 15, concerns: ({ subject }) => Boolean(subject?.startsWith("pst_")) });
  useEffect(() => {
    drafts.reload = loaded.reload;
    return () => {
      drafts.reload = async () => {};
    };
  }, [loaded.reload]);
  return html`
    <section class="calendar-drafts" aria-label=${t("Drafts without a time")}>
      <header>
        <h2>${t("Drafts")}</h2>
        <${Button} kind="quiet" icon="close" aria-label=${t("Close")} onClick=${onClose} />
      </header>
      <${Loaded} loaded=${loaded} lines=${6}>
        ${(/** @type {PostList} */ page) => html`
          <${Rows} page=${page} query=${query} setPage=${loaded.setData} open=${open} />
        `}
      <//>
    </section>
  `;
}

/**
 * @param {{
 *   page: PostList, query: Record<string, string>, setPage: (page: PostList) => void,
 *   open: (post: Post) => void
 * }} props
 */
function Rows({ page, query, setPage, open }) {
  const waiting = page.data.filter((post) => !post.scheduledAt);
  return html`
    <p class="soft small" role="status">
      ${waiting.length
        ? `${tn(waiting.length, "{n} draft has no time.", "{n} drafts have no time.")} ${t(
            "Drag one to a day, or open it and choose the time. It stays a draft.",
          )}`
        : t("Every draft has a time.")}
    </p>
    <ul>
      ${waiting.map((post) => html`
        <li key=${post.id}>
          <${Draft} post=${post} open=${open} />
        </li>
      `)}
    </ul>
    <${More} path="/posts" query=${query} page=${page} setPage=${setPage} />
    ${!waiting.length && may("posts:write") && html`
      <${LinkButton} href=${to("compose")} icon="compose">
        ${t("Write a post")}
      <//>
    `}
  `;
}

/** @param {{post: Post, open: (post: Post) => void}} props */
const Draft = ({ post, open }) => html`
  <button
    type="button"
    class="entry neutral"
    draggable=${may("posts:write") ? "true" : undefined}
    onDragStart=${(/** @type {DragEvent} */ event) => {
      dragged.post = post;
      event.dataTransfer?.setData("text/plain", titleOf(post));
    }}
    onDragEnd=${() => {
      dragged.post = null;
    }}
    onClick=${() => open(post)}
  >
    <span class="entry-title" dir="auto">
      ${titleOf(post).slice(0, 200)}
    </span>
    <${Networks} post=${post} />
    <span class="hidden">${t("open or move")}</span>
  </button>
`;
