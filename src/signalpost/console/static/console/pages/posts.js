// All posts, with filters in the address; a post when the address names one.
import { html, useEffect, useRef, useState } from "../html.js";
import { curlOf, get } from "../api.js";
import { client } from "../client.js";
import { t, tn } from "../i18n.js";
import { useAction, useLoad } from "../hooks.js";
import { useCommands } from "../keys.js";
import { useLive } from "../live.js";
import { PostTable, titleOf } from "../post-parts.js";
import { filter, to } from "../router.js";
import { mayDecide } from "../rights.js";
import { loadBasics, loadPlatforms, may, platforms, profiles } from "../store.js";
import { Button, LinkButton } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { Check, Field } from "../components/field.js";
import { lazyDialog } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { Page } from "../components/page.js";
import { toastProblem } from "../components/toasts.js";

import Post from "./post.js";

const ScheduleDrafts = lazyDialog(() => import("./posts-schedule.js"));
/** @typedef {import("signalpost/api").Schemas["Post"]} PostData */
/** @typedef {import("signalpost/api").Schemas["PostList"]} PostList */

const ApprovalLink = lazyDialog(() => import("./approvals-link.js"));

/** Whether someone can be asked to decide on it. @param {PostData} post */
const canAsk = (post) =>
  post.approval.state === "pending" || (post.status === "draft" && may("posts:write"));

const STATUSES = /** @type {() => [string, string][]} */ (
  () => [
    ["", t("All states")],
    ["draft", t("Draft")],
    ["scheduled", t("Scheduled")],
    ["queued", t("Queued")],
    ["publishing", t("Publishing")],
    ["published", t("Published")],
    ["partial", t("Partly published")],
    ["failed", t("Failed")],
  ]
);

/** @param {{id: string, part: string, query: Record<string, string>}} props */
export default function Posts({ id, part, query }) {
  return id ? html`<${Post} id=${id} part=${part} />` : html`<${PostsList} query=${query} />`;
}

/** What the page shows as a first call. */
const firstPost = () => ({
  profileId: client.value || (profiles.value?.[0]?.id ?? "PROFILE"),
  text: "Hello",
  platforms: ["sandbox"],
});

/** The chosen posts, and what chooses one in its row. */
function useChosen() {
  const [chosen, setChosen] = useState(/** @type {PostData[]} */ ([]));
  const choose = (/** @type {PostData} */ post) => (/** @type {boolean} */ isOn) =>
    setChosen((old) => [...old.filter(({ id }) => id !== post.id), ...(isOn ? [post] : [])]);
  const pick = (/** @type {PostData} */ post) =>
    canAsk(post) && html`
      <${Check}
        label=${html`<span class="hidden">${titleOf(post).slice(0, 80)}</span>`}
        checked=${chosen.some(({ id }) => id === post.id)}
        onChange=${choose(post)}
      />
    `;
  return { chosen, pick, clear: () => setChosen([]) };
}

/** @param {{query: Record<string, string>}} props */
function PostsList({ query }) {
  const { q = "", status = "", platform = "", profileId = "" } = query;
  const filters = { q, status, platform, profileId, sort: "-createdAt", limit: 50 };
  const loaded = useLoad(() => get("/posts", filters), [q, status, platform, profileId]);
  useEffect(() => {
    Promise.all([loadBasics(), loadPlatforms()]).catch(toastProblem);
  }, []);
  useLive(loaded.reload, {
    seconds: 5,
    concerns: ({ subject }) =>
      (loaded.data?.data.length ?? 0) <= 50 && Boolean(subject?.startsWith("pst_")),
    active:
      loaded.data?.data.some((post) => ["publishing", "queued"].includes(post.status)) &&
      loaded.data.data.length <= 50,
  });
  const isFiltered = Boolean(q || status || platform);
  useRowKeys(loaded.data?.data.length ?? 0);
  const [isScheduling, setScheduling] = useState(false);
  const drafts = (loaded.data?.data ?? []).filter((post) => post.status === "draft").slice(0, 100);
  const { chosen, pick, clear } = useChosen();
  return html`
    <${Page}
      title=${t("Posts")}
      actions=${
        html`
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
        `
      }
    >
      <${Filters} ...${filters} />
      <${Loaded} loaded=${loaded} lines=${8}>
        ${(/** @type {PostList} */ page) =>
          page.data.length || page.hasMore ? html`
            ${chosen.length > 0 && html`
              <${Selection} posts=${chosen} clear=${clear} reload=${loaded.reload} />
            `}
            <${PostTable} posts=${page.data} label=${t("Posts")} pick=${mayDecide() ? pick : undefined} />
            <${More} page=${page} filters=${filters} setPage=${loaded.setData} />
          ` : html`
            <${NoPosts} isFiltered=${isFiltered} />
          `
        }
      <//>
      ${isScheduling && html`
        <${ScheduleDrafts}
          drafts=${drafts}
          profileId=${profileId}
          onClose=${() => setScheduling(false)}
          onDone=${loaded.reload}
        />
      `}
    <//>
  `;
}

/**
 * What can be done with the chosen posts.
 * @param {{posts: PostData[], clear: () => void, reload: () => void}} props
 */
function Selection({ posts, clear, reload }) {
  const [asking, setAsking] = useState(false);
  return html`
    <div class="notice" role="status">
      <p>${tn(posts.length, "{n} post chosen", "{n} posts chosen")}</p>
      <div class="actions">
        <${Button} kind="primary" icon="link" onClick=${() => setAsking(true)}>
          ${t("Ask for approval by link")}
        <//>
        <${Button} onClick=${clear}>${t("Choose none")}<//>
      </div>
    </div>
    ${asking && html`
      <${ApprovalLink}
        posts=${posts}
        onClose=${(/** @type {boolean} */ created) => {
          setAsking(false);
          if (!created) return;
          clear();
          reload();
        }}
      />
    `}
  `;
}

/** @param {{q: string, status: string, platform: string}} props */
function Filters({ q, status, platform }) {
  return html`
    <form
      class="row filters"
      role="search"
      onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}
    >
      <${SearchField} value=${q} />
      <${Field}
        label=${t("State")}
        options=${STATUSES()}
        value=${status}
        onInput=${(/** @type {string} */ value) => filter({ status: value })}
      />
      <${Field}
        label=${t("Network")}
        options=${[
          ["", t("All networks")],
          ...(platforms.value ?? []).map((network) => [network.platform, network.name]),
        ]}
        value=${platform}
        onInput=${(/** @type {string} */ value) => filter({ platform: value })}
      />
    </form>
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
          html`<${Button} onClick=${() => filter({ q: "", status: "", platform: "" })}>
            ${t("Clear the filters")}
          <//>`
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

/** A search that waits until typing pauses. @param {{value: string}} props */
function SearchField({ value }) {
  const timer = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined));
  const search = (/** @type {string} */ typed) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => filter({ q: typed }), 300);
  };
  return html`
    <${Field}
      label=${t("Search")}
      type="search"
      value=${value}
      onInput=${search}
      placeholder=${t("Words in title or text")}
      maxlength="200"
    />
  `;
}

/** @param {{page: PostList, filters: Record<string, any>, setPage: (page: PostList) => void}} props */
function More({ page, filters, setPage }) {
  const [busy, load] = useAction(async () => {
    const next = await get("/posts", { ...filters, cursor: page.nextCursor });
    setPage({ ...next, data: [...page.data, ...next.data] });
  });
  return html`
    <p class="soft" role="status">
      ${tn(page.data.length, "{n} post shown", "{n} posts shown")}
    </p>
    ${page.hasMore && html`
      <${Button} busy=${busy} onClick=${load}>
        ${t("Show more")}
      <//>
    `}
  `;
}

/** `j` and `k` move through the rows, Enter opens the one that has the focus. @param {number} count */
export function useRowKeys(count) {
  const [, setIndex] = useState(-1);
  const move = (/** @type {number} */ step) =>
    setIndex(() => {
      const links = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("main .row-link")]);
      const index = Math.max(
        0,
        Math.min(
          links.length - 1,
          links.indexOf(/** @type {HTMLElement} */ (document.activeElement)) + step,
        ),
      );
      links[index]?.focus();
      return index;
    });
  useCommands(
    [
      { keys: "j", name: t("Next row"), run: () => move(1) },
      { keys: "k", name: t("Previous row"), run: () => move(-1) },
    ],
    [count],
  );
}
