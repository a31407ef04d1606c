// The numbers of a post: now, on each network, and over time.
import { html, useState } from "../html.js";
import { get } from "../api.js";
import { Icon } from "../icons.js";
import { number, t } from "../i18n.js";
import { LineChart } from "../charts.js";
import { useLoad } from "../hooks.js";
import { titleOf } from "../post-parts.js";
import { to } from "../router.js";
import { accountOf, loadBasics, loadPlatforms, networkName } from "../store.js";
import { Time, dateTime } from "../time.js";
import { NetworkLogo } from "../components/network-logo.js";
import { Badge } from "../components/badge.js";
import { Button, LinkButton } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { Loaded } from "../components/loaded.js";
import { Card, Page } from "../components/page.js";
import { Table } from "../components/table.js";
import { figure, knownText, metrics, percent } from "./analytics-parts.js";

/** @typedef {import("./analytics-parts.js").Metric} Metric */
/** @typedef {import("signalpost/api").Schemas["PostAnalytics"]} PostAnalytics */
/** @typedef {import("signalpost/api").Schemas["TargetMetrics"]} TargetMetrics */

/** @param {{accountId: string, platform: string} | {platform: string}} target */
const nameOf = (target) =>
  `${accountOf("accountId" in target ? target.accountId : "")?.username ?? t("Account")} · ${networkName(target.platform)}`;

/** @param {{id: string}} props */
export default function PostNumbers({ id }) {
  const loaded = useLoad(async () => {
    const [numbers, post] = await Promise.all([
      get(`/analytics/posts/${id}`),
      get(`/posts/${id}`),
      loadBasics(),
      loadPlatforms(),
    ]); // names too: nothing moves down later
    return { ...numbers, title: titleOf(post) };
  }, [id]);
  return html`
    <${Loaded} loaded=${loaded} lines=${8}>
      ${(/** @type {typeof loaded.data} */ data) => html`
        <${Page}
          title=${data.title.slice(0, 120)}
          subtitle=${html`<a href=${to("analytics")}>${t("Analytics")}</a>`}
          actions=${
            html`<${LinkButton} href=${to(`posts/${id}`)}>${t("Show the post")}<//>`
          }
        >
          ${data.metrics.length ? html`
            <${Now} targets=${data.metrics} />
            <${History} data=${data} />
          ` : html`
            <${Empty} title=${t("No numbers yet")} icon="analytics">
              ${t("Numbers are collected from one hour after a post is published.")}
            <//>
          `}
        <//>
      `}
    <//>
  `;
}

/** @param {{targets: TargetMetrics[]}} props */
function Now({ targets }) {
  const columns =
    /** @type {[Metric | "saves" | "clicks" | "impressions" | "reach" | "watchTimeSeconds", string][]} */ ([
      ...metrics(),
      ["saves", t("Saves")],
      ["clicks", t("Clicks")],
      ["impressions", t("Impressions")],
      ["reach", t("Reach")],
      ["watchTimeSeconds", t("Seconds watched")],
    ]);
  return html`
    ${targets.map((target) => html`
      <${Card}
        key=${target.targetId}
        title=${nameOf(target)}
        actions=${html`<${Badge} state=${target.status} />`}
      >
        <dl class="figures">
          ${columns
            .filter(([key]) => target[key] !== null || metrics().some(([name]) => name === key))
            .map(([key, word]) => html`
              <div>
                <dt>${word}</dt>
                <dd class=${target[key] === null ? "unknown" : ""}>${figure(target[key])}</dd>
              </div>
            `)}
          <div>
            <dt>${t("Engagement")}</dt>
            <dd class=${target.engagementRate === null ? "unknown" : ""}>
              ${percent(target.engagementRate)}
            </dd>
            ${target.rateBasis && html`
              <dd class="aside">${t("of {basis}", { basis: target.rateBasis })}</dd>
            `}
          </div>
        </dl>
        <p class="soft small">
          ${t("Published")} <${Time} at=${target.publishedAt} />
          ${target.collectedAt ? html`
            ${" "}
            · ${t("asked last")} <${Time} at=${target.collectedAt} kind="relative" />
            ` : html` · ${t("no numbers yet")}`}
          ${target.nextCollectionAt && html`
            ${" "}
            · ${t("next")} <${Time} at=${target.nextCollectionAt} kind="relative" />
            `}
          ${target.removedAt && html`
            ${" "}
            · ${t("removed")} <${Time} at=${target.removedAt} />
            `}
        </p>
      <//>
    `)}
  `;
}

/** @param {{data: PostAnalytics}} props */
function History({ data }) {
  const [metric, setMetric] = useState(/** @type {Metric} */ ("views"));
  const name = metrics().find(([key]) => key === metric)?.[1] ?? metric;
  const moments = [...new Set(data.history.map((sample) => sample.collectedAt))].sort();
  if (!moments.length)
    return html`
      <${Card} title=${t("Over time")}>
        <p class="soft">${t("Nothing was collected yet.")}</p>
      <//>
    `;
  const days = moments.map((at) => dateTime(/** @type {string} */ (at)));
  const lines = data.metrics.map((target) => {
    const byMoment = new Map(
      data.history
        .filter((sample) => sample.targetId === target.targetId)
        .map((sample) => [sample.collectedAt, sample[metric]]),
    );
    return { name: nameOf(target), values: carried(moments.map((at) => byMoment.get(at))) };
  });
  const say = (/** @type {number} */ index) => [
    `${days[index]}: `,
    lines.map((line) => knownText(line.values[index])).join(" · "),
    "",
  ];
  return html`
    <${Card}
      title=${t("Over time")}
      actions=${
        html`<div class="segmented" role="group" aria-label=${t("Number")}>
          ${metrics().map(([key, word]) => html`
            <${Button}
              kind="quiet"
              aria-pressed=${key === metric ? "true" : "false"}
              onClick=${() => setMetric(key)}
            >
              ${word}
            <//>
          `)}
        </div>`
      }
    >
      ${data.clipped && html`
        <div class="notice warn" role="status">
          <${Icon} name="clock" />
          <p>${t("The history begins later than the post: the plan shows no earlier days.")}</p>
        </div>
      `}
      <${LineChart} label=${t("{name} over time", { name })} days=${days} lines=${lines} say=${say} />
      <${Samples} data=${data} />
    <//>
  `;
}

const ROWS_MAX = 200;

/** @param {{data: PostAnalytics}} props */
function Samples({ data }) {
  return html`
    <details>
      <summary>${t("As a table")}</summary>
      <${Table}
        label=${t("Over time")}
        columns=${[t("Time"), t("Account"), ...metrics().map(([, word]) => word)]}
        numbers=${[2, 3, 4, 5]}
        rows=${[...data.history]
          .reverse()
          .slice(0, ROWS_MAX)
          .map((sample) => ({
            key: sample.targetId + sample.collectedAt,
            cells: [
              html`<${Time} at=${sample.collectedAt} />`,
              html`<span class="name">
                <${NetworkLogo} platform=${sample.platform} />
                <span>
                  ${nameOf(data.metrics.find((target) => target.targetId === sample.targetId) ?? sample)}
                </span>
              </span>`,
              ...metrics().map(([key]) => figure(sample[key])),
            ],
          }))}
      />
      ${data.history.length > ROWS_MAX && html`
        <p class="soft">
          ${t("The newest {n} rows; the API has all.", { n: number(ROWS_MAX) })}
        </p>
      `}
    </details>
  `;
}

/**
 * Accounts are asked at different moments: between two of its own an account keeps its number.
 * @param {(number | null | undefined)[]} values
 * @returns {(number | null)[]}
 */
function carried(values) {
  let last = /** @type {number | null} */ (null);
  return values.map((value) => {
    if (value !== undefined) last = value;
    return last;
  });
}
