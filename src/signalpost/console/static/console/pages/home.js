// Repairs: what needs a person, worst first, each with its way out; then what comes and what was.
import { html, useEffect } from "../html.js";
import { all, get } from "../api.js";
import { answered } from "../under-way.js";
import { locale, number, t } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { useLive } from "../live.js";
import { PostTable } from "../post-parts.js";
import { to } from "../router.js";
import { mayDecide } from "../rights.js";
import { accountsOf, loadPlatforms, may, me } from "../store.js";
import { Loaded } from "../components/loaded.js";
import { Card, Page } from "../components/page.js";
import { toastProblem } from "../components/toasts.js";
import { FirstSteps, firstSteps, hasFirstSteps, hasTeam, isNew } from "./home-first-steps.js";
import { Repairs, repairs } from "./home-repairs.js";

const DAY_MS = 86_400_000;
const PROBLEMS_MAX = 50;

/** So many posts that wait for approval are listed here; the page of approvals has all. */
const PENDING_SHOWN = 5;

/** @param {number} days */
const day = (days) => new Date(Date.now() + days * DAY_MS).toISOString();

/**
 * The posts of a list, unless the counts say that there are none: most have no failures, and a line is slow.
 * @param {unknown} count
 * @param {Record<string, unknown>} query
 * @returns {Promise<import("../post-parts.js").Post[]>}
 */
const listed = async (count, query) => (count ? (await get("/posts", query)).data : []);

/**
 * Posts that wait for a decision of this person, and those of theirs that came back from one.
 * @param {string | undefined} profileId
 * @param {PostStats["byApproval"]} counts
 */
async function approvals(profileId, counts) {
  const mine = { mine: true, profileId, limit: PROBLEMS_MAX };
  const [pending, changes, rejected] = await Promise.all([
    listed(mayDecide() && counts.pending, { approval: "pending", profileId, limit: PENDING_SHOWN }),
    listed(counts.changesRequested, { approval: "changes_requested", ...mine }),
    listed(counts.rejected, { approval: "rejected", ...mine }),
  ]);
  return { pending, returned: [...changes, ...rejected] };
}

/** When a post went out, or was to. @param {import("../post-parts.js").Post} entry */
const moment = (entry) => entry.publishedAt ?? entry.scheduledAt ?? entry.createdAt;

/** @param {string | undefined} profileId of the client whose things are shown; without it those of all */
async function load(profileId) {
  const ended = { sort: "-scheduledAt", profileId };
  const hasSteps = !profileId && hasFirstSteps();
  const stats = await get("/posts/stats", { profileId });
  const { byStatus } = stats;
  const isNext = stats.next && stats.next.scheduledAt < day(1);
  const upcoming = { from: new Date().toISOString(), to: day(1), sort: "scheduledAt" };
  const [failed, partial, next, published, own, usage, hooks, system, decisions, team] = await Promise.all([
    listed(byStatus.failed, { status: "failed", from: day(-7), limit: PROBLEMS_MAX, ...ended }),
    listed(byStatus.partial, { status: "partial", from: day(-7), limit: PROBLEMS_MAX, ...ended }),
    listed(isNext, { status: "scheduled", ...upcoming, profileId, limit: 10 }),
    listed(byStatus.published, { status: "published", from: day(-1), limit: 10, ...ended }),
    accountsOf(profileId),
    get("/auth/usage"),
    may("webhooks:read") ? all("/webhooks") : [],
    may("instance:admin") ? get("/admin/system") : null,
    approvals(profileId, stats.byApproval),
    hasSteps && isNew() ? hasTeam() : undefined,
  ]);
  const counts = { accountCount: own.length, postCount: stats.total };
  return {
    ...decisions,
    steps: hasSteps ? await firstSteps(counts, team) : null,
    broken: [...failed, ...partial],
    next,
    last: [...published, ...failed, ...partial]
      .filter((entry) => moment(entry) >= day(-1))
      .sort((a, b) => moment(b).localeCompare(moment(a)))
      .slice(0, 10),
    accounts: own,
    stats,
    usage,
    hooks,
    system,
  };
}

/** @typedef {Awaited<ReturnType<typeof load>>} Data */

/** @typedef {import("signalpost/api").Schemas["PostStats"]} PostStats */

/** @param {{query: Record<string, string>}} props */
export default function Home({ query: { profileId } }) {
  const loaded = useLoad(() => load(profileId), [profileId]);
  useLive(loaded.reload, { seconds: 20 });
  useEffect(() => {
    document.title = "Signalpost";
    // For their names: the page comes before so long a list.
    answered()
      .then(() => loadPlatforms())
      .catch(toastProblem);
  }, []);
  return html`
    <${Page} title=${t("Home")} subtitle=${me.value.workspace.name}>
      <${Loaded} loaded=${loaded} lines=${7}>
        ${(/** @type {Data} */ data) => html`
          <${Repairs} list=${repairs(data)} isQuiet=${data.stats.total === 0 && Boolean(data.steps)} />
          ${data.steps && html`<${FirstSteps} done=${data.steps} reload=${loaded.reload} />`}
          ${data.stats.total > 0 && html`
            <${Figures} stats=${data.stats} />
            <${Card}
              title=${t("Next 24 hours")}
              actions=${
                html`<a href=${to("posts", { status: "scheduled" })}>${t("All scheduled")}</a>`
              }
            >
              ${data.next.length ? html`
                <${PostTable} posts=${data.next} label=${t("Next 24 hours")} />
              ` : html`
                <p class="soft">${t("Nothing is scheduled for the next 24 hours.")}</p>
              `}
            <//>
            <${Card}
              title=${t("Last 24 hours")}
              actions=${html`<a href=${to("posts")}>${t("All posts")}</a>`}
            >
              ${data.last.length ? html`
                <${PostTable} posts=${data.last} label=${t("Last 24 hours")} />
              ` : html`
                <p class="soft">${t("Nothing was published in the last 24 hours.")}</p>
              `}
            <//>
            `}
        `}
      <//>
    <//>
  `;
}

/** @param {{stats: PostStats}} props */
function Figures({ stats }) {
  const { byStatus } = stats;
  const figures = [
    [t("Scheduled"), (byStatus.scheduled ?? 0) + (byStatus.queued ?? 0)],
    [t("Drafts"), byStatus.draft ?? 0],
    [t("Published"), byStatus.published ?? 0],
    [t("Failed"), (byStatus.failed ?? 0) + (byStatus.partial ?? 0)],
  ];
  return html`
    <dl class="figures">
      ${figures.map(([name, value]) => html`
        <div>
          <dt>${name}</dt>
          <dd>${number(/** @type {number} */ (value))}</dd>
        </div>
      `)}
      <div>
        <dt>${t("Success")}</dt>
        <dd>
          ${stats.successRate === null
            ? "–"
            : new Intl.NumberFormat(locale(), { style: "percent", maximumFractionDigits: 1 }).format(
                stats.successRate,
              )}
        </dd>
      </div>
    </dl>
  `;
}
