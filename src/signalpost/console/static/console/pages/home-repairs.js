// What needs this person: what they have the right to decide or repair.
import { html } from "../html.js";
import { Icon } from "../icons.js";
import { number, t, tn } from "../i18n.js";
import { limitName } from "../limits.js";
import { isUnknown, titleOf } from "../post-parts.js";
import { isAdmin, mayDecide } from "../rights.js";
import { to } from "../router.js";
import { may, networkName } from "../store.js";
import { relative } from "../time.js";
import { failureSentences } from "../words.js";
import { Card } from "../components/page.js";

/** @typedef {import("./home.js").Data} Data */

/**
 * @typedef {{
 *   rank: number, tone: string, icon: string, title: string, text: string, href: string, action: string
 * }} Repair
 */

const REPAIRS_MAX = 50;

/** What failed, or what nobody knows of. @param {Data} data @returns {Repair[]} */
function ofPosts({ broken }) {
  /** @type {Repair[]} */
  const list = [];
  if (!may("posts:publish")) return list;
  for (const post of broken) {
    const unknown = isUnknown(post);
    const failed = post.targets.filter((target) => target.status === "failed");
    list.push({
      rank: unknown ? 0 : 2,
      tone: unknown ? "unknown" : "bad",
      icon: unknown ? "question" : "cross",
      title: titleOf(post).slice(0, 100),
      text: unknown
        ? t("Nobody knows whether it was published. Look, then decide.")
        : failed[0]?.error
          ? failureSentences({ ...failed[0].error, platform: failed[0].platform }).happened
          : t("It was not published."),
      href: to(`posts/${post.id}`),
      action: unknown ? t("Resolve") : t("Repair"),
    });
  }
  return list;
}

/** What waits for a decision. @param {Data} data @returns {Repair[]} */
function ofApprovals({ stats, pending }) {
  /** @type {Repair[]} */
  const list = [];
  const count = stats.byApproval.pending;
  if (mayDecide() && count > pending.length) {
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
  for (const waiting of pending) {
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
  return list;
}

/** What was not approved. @param {Data} data @returns {Repair[]} */
function ofDecisions({ returned }) {
  /** @type {Repair[]} */
  const list = [];
  for (const entry of returned) {
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
  return list;
}

/** Accounts that no longer work, or soon will not. @param {Data} data @returns {Repair[]} */
function ofAccounts({ accounts }) {
  /** @type {Repair[]} */
  const list = [];
  if (!may("accounts:write")) return list;
  for (const account of accounts) {
    const broken = ["needs_reauth", "restricted"].includes(account.status);
    if (!broken && account.status !== "expiring") continue;
    list.push({
      rank: broken ? 1 : 4,
      tone: broken ? "bad" : "warn",
      icon: "accounts",
      title: `${account.username} · ${networkName(account.platform)}`,
      text: broken
        ? failureSentences({ code: `health.${account.status}` }).happened
        : t("Its access ends {when}.", {
            when: account.tokenExpiresAt ? relative(account.tokenExpiresAt) : t("soon"),
          }),
      href: to(`accounts/${account.id}`),
      action: t("Reconnect"),
    });
  }
  return list;
}

/** Webhooks that were switched off. @param {Data} data @returns {Repair[]} */
function ofWebhooks({ hooks }) {
  /** @type {Repair[]} */
  const list = [];
  for (const hook of hooks) {
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
  return list;
}

/** Limits of the plan that are nearly reached. @param {Data} data @returns {Repair[]} */
function ofLimits({ usage }) {
  /** @type {Repair[]} */
  const list = [];
  if (!isAdmin()) return list;
  for (const [name, maximum] of Object.entries(usage.limits)) {
    const used = usage.usage[/** @type {keyof typeof usage.usage} */ (name)];
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
  return list;
}

/** What the operator of this installation has to do. @param {Data} data @returns {Repair[]} */
function ofSystem({ system }) {
  /** @type {Repair[]} */
  const list = [];
  const backup = system?.backup;
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
  const payments = system?.payments;
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
  return list;
}

/** What needs a person, worst first. @param {Data} data */
export const repairs = (data) =>
  [
    ofPosts(data),
    ofApprovals(data),
    ofDecisions(data),
    ofAccounts(data),
    ofWebhooks(data),
    ofLimits(data),
    ofSystem(data),
  ]
    .flat()
    .sort((a, b) => a.rank - b.rank)
    .slice(0, REPAIRS_MAX);

/** @param {{list: Repair[], isQuiet: boolean}} props `isQuiet`: says nothing where nothing is wrong */
export function Repairs({ list, isQuiet }) {
  if (!list.length && isQuiet) return null;
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
