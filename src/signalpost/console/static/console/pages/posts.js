// All posts, with filters in the address; a post when the address names one.
import { html, useEffect, useState } from "../html.js";
import { all, curlOf } from "../api.js";
import { client } from "../client.js";
import { t, tn } from "../i18n.js";
import { useCommands } from "../keys.js";
import { useLive } from "../live.js";
import { PostTable } from "../post-parts.js";
import { filter, to } from "../router.js";
import { Pick, PickAll, chosen, hasWork, selectionKeys, useLatest, useSelection } from "../selection.js";
import { loadBasics, loadPlatforms, may, profiles } from "../store.js";
import { Button, LinkButton } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { lazy, lazyDialog } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { More, usePages } from "../components/more.js";
import { Page } from "../components/page.js";
import { toastProblem } from "../components/toasts.js";

import { Filters, NO_FILTERS } from "./posts-filters.js";

const Post = lazy(() => import("./post.js"));
const ScheduleDrafts = lazyDialog(() => import("./posts-schedule.js"));
/** @typedef {import("signalpost/api").Schemas["Post"]} PostData */
/** @typedef {import("signalpost/api").Schemas["PostList"]} PostList */

const ManyBar = lazyDialog(() => import("./many-bar.js"));

/** @param {{id: string, part: string, query: Record<string, string>}} props */
export default function Posts({ id, part, query }) {
  return id ? html`<${Post} id=${id} part=${part} />` : html`<${PostsList} query=${query} />`;
}

const NONE = /** @type {PostData[]} */ ([]);
/** What can be chosen at once, beyond what is shown. */
const CHOSEN_MAX = 1_000;

/** What the page shows as a first call. */
const firstPost = () => ({
  profileId: client.value || (profiles.value?.[0]?.id ?? "PROFILE"),
  text: "Hello",
  platforms: ["sandbox"],
});

/** @param {{query: Record<string, string>}} props */
function PostsList({ query }) {
  const { q = "", status = "", platform = "", accountId = "", tag = "", profileId = "" } = query;
  const filters = { q, status, platform, accountId, tag, profileId, sort: "-createdAt", limit: 50 };
  const key = [q, status, platform, accountId, tag, profileId];
  const loaded = usePages("/posts", filters);
  useEffect(() => {
    Promise.all([loadBasics(), loadPlatforms(), Post.ready()]).catch(toastProblem);
  }, []);
  useLive(loaded.reload, {
    seconds: 5,
    concerns: ({ subject }) =>
      (loaded.data?.data.length ?? 0) <= 50 && Boolean(subject?.startsWith("pst_")),
    active:
      loaded.data?.data.some((/** @type {PostData} */ post) =>
        ["publishing", "queued"].includes(post.status),
      ) && loaded.data.data.length <= 50,
  });
  const visible = loaded.data?.data ?? NONE;
  const latest = useLatest(visible);
  useSelection(visible, key);
  useRowKeys(visible.length, selectionKeys(latest));
  return html`
    <${Page}
      title=${t("Posts")}
      actions=${html`<${PageActions} ...${filters} visible=${visible} reload=${loaded.reload} />`}
    >
      <${Filters} ...${filters} />
      ${(chosen.value.size > 0 || hasWork.value) && html`
        <${ManyBar}
          visible=${visible}
          loadAll=${loaded.data?.hasMore ? () => all("/posts", filters, CHOSEN_MAX) : undefined}
          reload=${loaded.reload}
        />
      `}
      <${Loaded} loaded=${loaded} lines=${8}>
        ${(/** @type {PostList} */ page) =>
          page.data.length || page.hasMore ? html`
            <${PostTable}
              posts=${page.data}
              label=${t("Posts")}
              pick=${(/** @type {PostData} */ post) => html`<${Pick} post=${post} posts=${latest} />`}
              pickAll=${html`<${PickAll} posts=${page.data} />`}
            />
            <${More}
              path="/posts"
              query=${filters}
              page=${page}
              setPage=${loaded.setData}
              summary=${tn(page.data.length, "{n} post shown", "{n} posts shown")}
            />
          ` : html`
            <${NoPosts} isFiltered=${Boolean(q || status || platform || accountId || tag)} />
          `
        }
      <//>
    <//>
  `;
}

/**
 * @param {{status: string, profileId: string, visible: PostData[], reload: () => Promise<void>}} props
 */
function PageActions({ status, profileId, visible, reload }) {
  const [isScheduling, setScheduling] = useState(false);
  const drafts = visible.filter((post) => post.status === "draft").slice(0, 100);
  return html`
    ${status === "draft" && drafts.length > 0 && may("posts:publish") && html`
      <${Button} icon="clock" onClick=${() => setScheduling(true)}>
        ${t("Schedule these…")}
      <//>
    `}
    <${LinkButton} href=${to("import")} icon="plus">
      ${t("Import")}
    <//>
    <${LinkButton} href=${to("trash")} icon="trash">
      ${t("Trash")}
    <//>
    ${may("posts:write") && html`
      <${LinkButton} href=${to("compose")} kind="primary" icon="compose">
        ${t("Write a post")}
      <//>
    `}
    ${isScheduling && html`
      <${ScheduleDrafts}
        drafts=${drafts}
        profileId=${profileId}
        onClose=${() => setScheduling(false)}
        onDone=${reload}
      />
    `}
  `;
}

/** @param {{isFiltered: boolean}} props */
function NoPosts({ isFiltered }) {
  if (isFiltered)
    return html`
      <${Empty}
        title=${t("Nothing found")}
        icon="search"
        action=${
          html`<${Button} onClick=${() => filter(NO_FILTERS)}>${t("Clear the filters")}<//>`
        }
      >
        ${t("No post matches these filters.")}
      <//>
    `;
  return html`
    <${Empty}
      title=${t("No posts yet")}
      action=${
        may("posts:write") && html`
          <${LinkButton} href=${to("compose")} kind="primary" icon="compose">
            ${t("Write a post")}
          <//>
        `
      }
      curl=${curlOf("/posts", "-H 'Content-Type: application/json'", `-d '${JSON.stringify(firstPost())}'`)}
    >
      ${t(
        "Posts that you write here or send by the API appear in this list, with the outcome at each network.",
      )}
    <//>
  `;
}

/**
 * `j` and `k` move through the rows, Enter opens the one that has the focus.
 * @param {number} count
 * @param {import("../keys.js").Command[]} others keys of the page
 */
function useRowKeys(count, others) {
  const [, setIndex] = useState(-1);
  const move = (/** @type {number} */ step) =>
    setIndex(() => {
      const links = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("main .row-link")]);
      const row = document.activeElement?.closest("tr");
      const at = row ? links.findIndex((link) => row.contains(link)) : -1;
      const index = Math.max(0, Math.min(links.length - 1, at + step));
      links[index]?.focus();
      return index;
    });
  useCommands(
    [
      { keys: "j", name: t("Next row"), run: () => move(1) },
      { keys: "k", name: t("Previous row"), run: () => move(-1) },
      ...others,
    ],
    [count],
  );
}
