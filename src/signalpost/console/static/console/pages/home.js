// Repairs: what needs a person, worst first, each with its way out; then what comes and what was.
import { html, useEffect } from "../html.js";
import { all, get } from "../api.js";
import { Icon } from "../icons.js";
import { number, t, tn } from "../i18n.js";
import { limitName } from "../limits.js";
import { useLive } from "../live.js";
import { PostTable, isUnknown, titleOf } from "../post-parts.js";
import { to } from "../router.js";
import { accounts, loadBasics, loadPlatforms, may, mayDecide, me, networkName } from "../store.js";
import { relative } from "../time.js";
import { useLoad } from "../hooks.js";
import { Loaded } from "../components/loaded.js";
import { Card, Page } from "../components/page.js";
import FirstSteps from "./home-first-steps.js";

const DAY_MS = 86_400_000;
const PROBLEMS_MAX = 50;
/** So many posts that wait for approval are listed here; the page of approvals has all. */
const PENDING_SHOWN = 5;

/** @param {number} days */
const day = (days) => new Date(Date.now() + days * DAY_MS).toISOString();

/** Posts that wait for a decision of this person, and those of theirs that came back from one. */
async function approvals() {
  const [pending, changes, rejected] = await Promise.all([
    mayDecide() ? get("/posts", { approval: "pending", limit: PENDING_SHOWN }) : { data: [] },
    get("/posts", { approval: "changes_requested", mine: true, limit: PROBLEMS_MAX }),
    get("/posts", { approval: "rejected", mine: true, limit: PROBLEMS_MAX }),
  ]);
  return { pending: pending.data, returned: [...changes.data, ...rejected.data] };
}

/** When a post went out, or was to. @param {import("../post-parts.js").Post} entry */
const moment = (entry) => entry.publishedAt ?? entry.scheduledAt ?? entry.createdAt;

async function load() {
  const [failed, partial, next, published, stats, usage, hooks, system, decisions] = await Promise.all([
    get("/posts", { status: "failed", from: day(-7), sort: "-scheduledAt", limit: PROBLEMS_MAX }),
    get("/posts", { status: "partial", from: day(-7), sort: "-scheduledAt", limit: PROBLEMS_MAX }),
    get("/posts", {
      status: "scheduled",
      from: new Date().toISOString(),
      to: day(1),
      sort: "scheduledAt",
      limit: 10,
    }),
    get("/posts", { status: "published", from: day(-1), sort: "-scheduledAt", limit: 10 }),
    get("/posts/stats"),
    get("/auth/usage"),
    may("webhooks:read") ? all("/webhooks") : [],
    may("instance:admin") ? get("/admin/system") : null,
    loadBasics(true).then(approvals),
    loadPlatforms(),
  ]);
  return {
    ...decisions,
    broken: [...failed.data, ...partial.data],
    next: next.data,
    last: [...published.data, ...failed.data, ...partial.data]
      .filter((entry) => moment(entry) >= day(-1))
      .sort((a, b) => moment(b).localeCompare(moment(a)))
      .slice(0, 10),
    stats,
    usage,
    hooks,
    system,
  };
}

/** @typedef {Awaited<ReturnType<typeof load>>} Data */
/** @typedef {import("signalpost/api").Schemas["PostStats"]} PostStats */
/**
 * @typedef {{
 *   rank: number, tone: string, icon: string, title: string, text: string, href: string, action: string
 * }} Repair
 */

/** What needs a person, worst first. @param {Data} data @returns {Repair[]} */
function repairs(data) {
  /** @type {Repair[]} */
  const list = [];
  for (const broken of data.broken) {
    const unknown = isUnknown(broken);
    const failed = broken.targets.filter((target) => target.status === "failed");
    list.push({
      rank: unknown ? 0 : 2,
      tone: unknown ? "unknown" : "bad",
      icon: unknown ? "question" : "cross",
      title: titleOf(broken).slice(0, 100),
      text: unknown
        ? t("Nobody knows whether it was published. Look, then decide.")
        : (failed[0]?.error?.userMessage ?? t("It was not published.")),
      href: to(`posts/${broken.id}`),
      action: unknown ? t("Resolve") : t("Repair"),
    });
  }
  const count = data.stats.byApproval.pending;
  if (mayDecide() && count > PENDING_SHOWN) {
    list.push({
      rank: 1,
      tone: "warn",
      icon: "question",
      title: tn(count, "{n} post waits for your decision", "{n} posts wait for your decision"),
      text: t("The newest stand here, too."),
      href: to("approvals"),
      action: t("Approvals"),
    });
  }
  for (const waiting of data.pending) {
    list.push({
      rank: 1,
      tone: "warn",
      icon: "question",
      title: titleOf(waiting).slice(0, 100),
      text: t("{name} asks for approval.", { name: waiting.approval.requestedBy?.name ?? "" }),
      href: to(`posts/${waiting.id}`),
      action: t("Decide"),
    });
  }
  for (const entry of data.returned) {
    const name = entry.approval.decidedBy?.name ?? "";
    list.push({
      rank: 2,
      tone: "warn",
      icon: "compose",
      title: titleOf(entry).slice(0, 100),
      text:
        entry.approval.note ??
        (entry.approval.state === "rejected"
          ? t("{name} rejected this post.", { name })
          : t("{name} requested changes.", { name })),
      href: to(`posts/${entry.id}`),
      action: t("Look"),
    });
  }
  for (const account of accounts.value ?? []) {
    const broken = ["needs_reauth", "restricted"].includes(account.status);
    if (!broken && account.status !== "expiring") continue;
    list.push({
      rank: broken ? 1 : 4,
      tone: broken ? "bad" : "warn",
      icon: "accounts",
      title: `${account.username} · ${networkName(account.platform)}`,
      text: broken
        ? (account.statusReason ?? t("The network no longer accepts our access. Posts wait for it."))
        : t("Its access ends {when}.", {
            when: account.tokenExpiresAt ? relative(account.tokenExpiresAt) : t("soon"),
          }),
      href: to(`accounts/${account.id}`),
      action: t("Reconnect"),
    });
  }
  for (const hook of data.hooks) {
    if (hook.status !== "disabled") continue;
    list.push({
      rank: 3,
      tone: "bad",
      icon: "developers",
      title: hook.name ?? hook.url,
      text: hook.disabledReason ?? t("The webhook was switched off because its server kept failing."),
      href: to(`developers/webhooks/${hook.id}`),
      action: t("Look"),
    });
  }
  for (const [name, maximum] of Object.entries(data.usage.limits)) {
    const used = data.usage.usage[/** @type {keyof typeof data.usage.usage} */ (name)];
    if (maximum !== null && used >= maximum * 0.9 && maximum > 0) {
      list.push({
        rank: 5,
        tone: "warn",
        icon: "warn",
        title: t("{name}: {used} of {max} used", {
          name: limitName(name),
          used: number(used),
          max: number(Number(maximum)),
        }),
        text: t("The plan allows no more than that."),
        href: to("team/workspace"),
        action: t("Look"),
      });
    }
  }
  const backup = data.system?.backup;
  if (backup?.tooOld) {
    list.push({
      rank: 6,
      tone: "warn",
      icon: "warn",
      title: backup.madeAt
        ? t("The newest backup was made {when}.", { when: relative(backup.madeAt) })
        : t("There is no backup of this installation."),
      text: backup.madeAt
        ? t("What happened since would be lost with the disk.")
        : t("Everything would be lost with the disk."),
      href: to("admin/backups"),
      action: t("Make a backup"),
    });
  }
  const payments = data.system?.payments;
  if (payments?.isDeaf) {
    list.push({
      rank: 2,
      tone: "bad",
      icon: "warn",
      title: payments.notifiedAt
        ? t("The last notification of the provider of payments was refused.")
        : t("The provider of payments has never notified this installation."),
      text: payments.remedy ?? "",
      href: to("admin/payments"),
      action: t("Look"),
    });
  }
  return list.sort((a, b) => a.rank - b.rank).slice(0, PROBLEMS_MAX);
}

export default function Home() {
  const loaded = useLoad(load, []);
  useLive(loaded.reload, { seconds: 20 });
  useEffect(() => {
    document.title = "Signalpost";
  }, []);
  return html`
    <${Page} title=${t("Home")} subtitle=${me.value.workspace.name}>
      <${Loaded} loaded=${loaded} lines=${7}>
        ${(/** @type {Data} */ data) => html`
          ${data.stats.total === 0 || !accounts.value?.length ? html`
            <${FirstSteps} reload=${loaded.reload} hasPosts=${data.stats.total > 0} />
          ` : html`
            <${Repairs} list=${repairs(data)} />
          `}
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

/** @param {{list: Repair[]}} props */
function Repairs({ list }) {
  if (!list.length)
    return html`
      <div class="notice ok" role="status">
        <${Icon} name="check" />
        <p>${t("Nothing needs you: all accounts work, and nothing failed in the last seven days.")}</p>
      </div>
    `;
  return html`
    <${Card}
      title=${t("Repairs")}
      actions=${
        html`<span class="soft">
          ${tn(list.length, "{n} thing needs you", "{n} things need you")}
        </span>`
      }
    >
      <ul class="list repairs">
        ${list.map((repair) => html`
          <li key=${repair.href + repair.title}>
            <span class=${`tone ${repair.tone}`}>
              <${Icon} name=${repair.icon} />
            </span>
            <span class="grow">
              <strong class="clip">${repair.title}</strong>
              <span class="soft">${repair.text}</span>
            </span>
            <a class="button plain" href=${repair.href}>
              ${repair.action}
              <span class="hidden"> ${repair.title}</span>
            </a>
          </li>
        `)}
      </ul>
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
            : new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 }).format(
                stats.successRate,
              )}
        </dd>
      </div>
    </dl>
  `;
}
