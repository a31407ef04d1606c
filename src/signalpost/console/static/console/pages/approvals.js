// Posts that wait for approval, and what was decided: whoever may decides here, one post after the other.
import { html, useEffect, useState } from "../html.js";
import { countWaiting } from "../approvals-count.js";
import { Button } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { Check } from "../components/field.js";
import { lazy, lazyDialog } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { More, usePages } from "../components/more.js";
import { Page } from "../components/page.js";
import { Tabs } from "../components/tabs.js";
import { toastProblem } from "../components/toasts.js";
import { t } from "../i18n.js";
import { useLive } from "../live.js";
import { Networks, PostState, titleOf } from "../post-parts.js";
import { mayDecide } from "../rights.js";
import { filter, to } from "../router.js";
import { loadBasics, loadPlatforms, profiles } from "../store.js";
import { Time } from "../time.js";

/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
/** @typedef {import("signalpost/api").Schemas["PostList"]} PostList */
/** @typedef {"pending" | "approved" | "changes_requested" | "rejected"} State */

const Decide = lazyDialog(() =>
  import("./post-approval.js").then((module) => ({ default: module.Decide })),
);
const Links = lazy(() => import("./approvals-links.js"));
const LINKS = "links";
const LIMIT = 25;
/** Part of the address -> state. @type {Record<string, State>} */
const STATES = { "": "pending", changes: "changes_requested", rejected: "rejected", approved: "approved" };

/** @param {{id: string, query: Record<string, string>}} props */
export default function Approvals({ id, query }) {
  useEffect(() => {
    Promise.all([loadBasics(), loadPlatforms()]).catch(toastProblem);
  }, []);
  return html`
    <${Page} title=${t("Approvals")}>
      <${Tabs}
        label=${t("Approvals")}
        path="approvals"
        current=${id}
        tabs=${[
          ["", t("Waiting")],
          ["changes", t("Changes requested")],
          ["rejected", t("Rejected")],
          ["approved", t("Approved")],
          ...(mayDecide() ? [[LINKS, t("Sent links")]] : []),
        ]}
      />
      ${id === LINKS && mayDecide() ? html`
        <${Links} profileId=${query.profileId} />
      ` : html`
        <${Posts} id=${id} query=${query} />
      `}
    <//>
  `;
}

/** @param {{id: string, query: Record<string, string>}} props */
function Posts({ id, query }) {
  const state = STATES[id] ?? "pending";
  const mine = query.mine === "true" ? { mine: true } : {};
  const filters = { approval: state, ...mine, profileId: query.profileId, limit: LIMIT };
  const loaded = usePages("/posts", filters);
  const [deciding, setDeciding] = useState(/** @type {{post: Post, decision: string} | null} */ (null));
  const reload = async () => {
    await Promise.all([loaded.reload(), countWaiting()]);
  };
  useLive(loaded.reload, {
    seconds: 30,
    active: !deciding && (loaded.data?.data.length ?? 0) <= LIMIT,
    concerns: ({ subject }) => !deciding && Boolean(subject?.startsWith("pst_")),
  });
  return html`
    <${Check}
      label=${t("Only posts that I wrote")}
      checked=${query.mine === "true"}
      onChange=${(/** @type {boolean} */ only) => filter({ mine: only ? "true" : "" })}
    />
    <${Loaded} loaded=${loaded} lines=${6}>
      ${(/** @type {PostList} */ page) =>
        page.data.length ? html`
          <ul class="list repairs approvals">
            ${page.data.map((post) => html`
              <${Entry}
                key=${post.id}
                post=${post}
                decide=${(/** @type {string} */ decision) => setDeciding({ post, decision })}
              />
            `)}
          </ul>
          <${More} path="/posts" query=${filters} page=${page} setPage=${loaded.setData} />
          ` : html`
          <${Empty} title=${t("Nothing here")} icon="check">
            ${state === "pending"
              ? t("No post waits for a decision.")
              : t("Posts with this decision appear here.")}
          <//>
        `
      }
    <//>
    ${deciding && html`<${Decide} ...${deciding} onClose=${() => setDeciding(null)} reload=${reload} />`}
  `;
}

/** @param {{post: Post, decide: (decision: string) => void}} props */
function Entry({ post, decide }) {
  const { state, requestedBy, requestedAt, decidedBy, decidedAt, note } = post.approval;
  const client = profiles.value?.find((profile) => profile.id === post.profileId)?.name;
  const title = titleOf(post).slice(0, 200);
  const isPending = state === "pending";
  const name = (isPending ? requestedBy?.name : decidedBy?.name) ?? "";
  const sentence = isPending
    ? t("{name} asks for approval.", { name })
    : state === "changes_requested"
      ? t("{name} requested changes.", { name })
      : state === "rejected"
        ? t("{name} rejected this post.", { name })
        : t("{name} approved it.", { name });
  return html`
    <li>
      <span class="grow">
        <a class="row-link clip" href=${to(`posts/${post.id}`)} dir="auto">
          ${title}
        </a>
        <span class="soft">
          ${client && `${client} · `}
          <${Networks} post=${post} />${" "}
          ${post.scheduledAt ? html`
            ${t("to be published")} <${Time} at=${post.scheduledAt} timeZone=${post.timezone} />
          ` : (
            t("no time chosen")
          )}
        </span>
        <span class="soft">
          ${sentence} <${Time} at=${isPending ? requestedAt : decidedAt} kind="relative" />
        </span>
        ${note && html`<span dir="auto">${note}</span>`}
      </span>
      ${isPending && mayDecide() ? html`
        <span class="actions">
          <${Button} kind="primary" icon="check" onClick=${() => decide("approve")}>
            ${t("Approve")}
            <span class="hidden"> ${title}</span>
          <//>
          <${Button} icon="compose" onClick=${() => decide("changes")}>
            ${t("Request changes")}
            <span class="hidden"> ${title}</span>
          <//>
          <${Button} kind="danger" icon="cross" onClick=${() => decide("reject")}>
            ${t("Reject")}
            <span class="hidden"> ${title}</span>
          <//>
        </span>
      ` : html`
        <${PostState} post=${post} />
      `}
    </li>
  `;
}
