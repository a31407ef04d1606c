// The queue of all workspaces: how long what is due waits, by network and by workspace, and who works on it.
import { html } from "../html.js";
import { get } from "../api.js";
import { number, t } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { useLive } from "../live.js";
import { networkName } from "../store.js";
import { Time } from "../time.js";
import { Loaded } from "../components/loaded.js";
import { Card } from "../components/page.js";
import { Table } from "../components/table.js";
import { duration } from "./admin-parts.js";

/** @typedef {import("signalpost/api").Schemas["QueueItem"]} QueueItem */

const ITEMS_MAX = 100;

/**
 * The due targets by one of their members, the one that waits longest first.
 * @param {QueueItem[]} items
 * @param {"platform" | "workspaceId"} member
 */
function grouped(items, member) {
  const groups = /** @type {Map<string, {name: string, count: number, since: string}>} */ (new Map());
  for (const item of items) {
    const group = groups.get(item[member]) ?? { name: item[member], count: 0, since: item.runAt };
    groups.set(item[member], {
      ...group,
      count: group.count + 1,
      since: item.runAt < group.since ? item.runAt : group.since,
    });
  }
  return [...groups.values()].sort((a, b) => (a.since < b.since ? -1 : 1));
}

/** @param {string} since */
const age = (since) => duration(Math.max(0, (Date.now() - new Date(since).getTime()) / 1000));

/** @typedef {import("signalpost/api").Result<"get", "/admin/queue">} QueueState */

export default function Queue() {
  const loaded = useLoad(() => get("/admin/queue"), []);
  useLive(loaded.reload, { seconds: 5 });
  return html`
    <${Loaded} loaded=${loaded} lines=${8}>
      ${(/** @type {typeof loaded.data} */ data) => {
        const { counts } = data;
        const figures = [
          [t("Oldest waits"), data.oldestDueAgeSeconds > 0 ? duration(data.oldestDueAgeSeconds) : "–"],
          [t("Due now"), number(counts.ready)],
          [t("Overdue"), counts.overdue === null ? t("not known") : number(counts.overdue)],
          [t("Being published"), number(counts.leased)],
          [t("Due later"), number(counts.waiting)],
        ];
        return html`
          <dl class="figures">
            ${figures.map(([name, value]) => html`
              <div>
                <dt>${name}</dt>
                <dd>${value}</dd>
              </div>
            `)}
          </dl>
          <${Workers} workers=${data.workers} />
          <${Due} items=${data.items} />
        `;
      }}
    <//>
  `;
}

/** @param {{title: string, rows: {name: string, count: number, since: string}[]}} props */
function Group({ title, rows }) {
  return html`
    <${Card} title=${title}>
      <${Table}
        label=${title}
        columns=${[t("Name"), t("Due now"), t("Oldest waits")]}
        numbers=${[1, 2]}
        rows=${rows.map((group) => ({
          key: group.name,
          cells: [group.name, number(group.count), age(group.since)],
        }))}
      />
    <//>
  `;
}

/** @param {{workers: QueueState["workers"]}} props */
function Workers({ workers }) {
  return html`
    <${Card} title=${t("Workers")}>
      ${workers.length ? html`
        <${Table}
          label=${t("Workers")}
          columns=${[t("Machine"), t("Last seen"), t("Holds")]}
          numbers=${[2]}
          rows=${workers.map((worker) => ({
            key: worker.id,
            cells: [
              worker.host,
              html`<${Time} at=${worker.lastSeenAt} kind="relative" />`,
              number(worker.leases),
            ],
          }))}
        />
      ` : html`
        <p class="bad">${t("No worker runs: nothing is published.")}</p>
      `}
    <//>
  `;
}

/** @param {{items: QueueState["items"]}} props */
function Due({ items }) {
  return html`
    ${items.length ? html`
      <div class="columns">
        <${Group}
          title=${t("By network")}
          rows=${grouped(items, "platform").map((group) => ({
            ...group,
            name: networkName(group.name),
          }))}
        />
        <${Group} title=${t("By workspace")} rows=${grouped(items, "workspaceId")} />
      </div>
      <${Card} title=${t("What is due")}>
        ${items.length >= ITEMS_MAX && html`
          <p class="soft">${t("The {n} that wait longest.", { n: number(ITEMS_MAX) })}</p>
        `}
        <${Table}
          label=${t("What is due")}
          columns=${[t("Post"), t("Network"), t("Workspace"), t("State"), t("Tries"), t("Waits")]}
          numbers=${[4]}
          rows=${items.map((item) => ({
            key: item.targetId,
            cells: [
              html`<code>${item.postId}</code>`,
              networkName(item.platform),
              html`<code>${item.workspaceId}</code>`,
              item.state === "leased" ? t("being published") : t("due"),
              number(item.attempts),
              age(item.runAt),
            ],
          }))}
        />
      <//>
      ` : html`
      <p class="soft">${t("Nothing waits: everything that is due is published.")}</p>
    `}
  `;
}
