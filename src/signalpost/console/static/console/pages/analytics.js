// How posts do: sums of a period, day by day, by network; posts, accounts, and the hours at which posts do
// well.
import { html, useEffect, useState } from "../html.js";
import { curlOf, download, get } from "../api.js";
import { number, t, tn } from "../i18n.js";
import { Bar, LineChart } from "../charts.js";
import { useAction, useLoad } from "../hooks.js";
import { to } from "../router.js";
import { loadBasics, loadPlatforms, may, networkName } from "../store.js";
import { Time } from "../time.js";
import { NetworkLogo } from "../components/network-logo.js";
import { Button, LinkButton } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { lazy } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { Card, Page } from "../components/page.js";
import { Table } from "../components/table.js";
import { Tabs } from "../components/tabs.js";
import { toast, toastProblem } from "../components/toasts.js";
import { PeriodFilter, dayName, figure, knownText, metrics, percent, periodOf } from "./analytics-parts.js";
import { Notices, Totals } from "./analytics-sums.js";

/** @typedef {import("./analytics-parts.js").Metric} Metric */
/** @typedef {import("signalpost/api").Schemas["Overview"]} Overview */
/** @typedef {import("signalpost/api").Schemas["TopPost"]} TopPost */

const PostNumbers = lazy(() => import("./analytics-post.js"));
const VIEWS = /** @type {Record<string, unknown>} */ ({
  posts: lazy(() => import("./analytics-posts.js")),
  accounts: lazy(() => import("./analytics-accounts.js")),
  times: lazy(() => import("./analytics-times.js")),
  report: lazy(() => import("./analytics-report.js")),
});

/** @param {{id: string, part: string, query: Record<string, string>}} props */
export default function Analytics({ id, part, query }) {
  useEffect(() => {
    Promise.all([loadBasics(), loadPlatforms()]).catch(toastProblem);
  }, []);
  if (id === "posts" && part) return html`<${PostNumbers} id=${part} />`;
  const tabs = [
    ["", t("Overview")],
    ["posts", t("Posts")],
    ["accounts", t("Accounts")],
    ["times", t("Best times")],
    ["report", t("Report")],
  ];
  const View = VIEWS[id] ?? Overview;
  return html`
    <${Page} title=${t("Analytics")}>
      <${Tabs} label=${t("Analytics")} path="analytics" current=${id} tabs=${tabs} />
      <${View} query=${query} />
    <//>
  `;
}

/** @param {{query: Record<string, string>}} props */
function Overview({ query }) {
  const period = periodOf(query);
  const loaded = useLoad(() => get("/analytics/overview", period), [JSON.stringify(period)]);
  return html`
    <${PeriodFilter} query=${query} period=${loaded.data?.period} />
    <${Loaded} loaded=${loaded} lines=${9}>
      ${(/** @type {typeof loaded.data} */ data) => html`
        <${Notices} data=${data} />
        ${data.totalPosts ? html`
          <${Numbers} data=${data} period=${period} />
        ` : html`
          <${Nothing} data=${data} />
        `}
        `}
    <//>
  `;
}

/** @param {{data: Overview}} props */
function Nothing({ data }) {
  return html`
    <${Empty}
      title=${t("Nothing was published in this period")}
      icon="analytics"
      action=${
        may("posts:write") && html`
          <${LinkButton} href=${to("compose")} kind="primary" icon="compose">
            ${t("Write a post")}
          <//>
        `
      }
      curl=${curlOf(`/analytics/overview?startDate=${data.period.start}`)}
    >
      ${t(
        "As soon as posts are published, their views, likes, comments and shares are collected here for a year.",
      )}
    <//>
  `;
}

/** @param {{data: Overview, period: Record<string, string>}} props */
function Numbers({ data, period }) {
  return html`
    <${Totals} data=${data} />
    <${Trend} data=${data} />
    <div class="columns">
      <${TopPosts} posts=${data.topPosts} />
      <${Networks} byPlatform=${data.byPlatform} />
    </div>
    <${Export} period=${period} />
    <p class="soft small">
      ${t("Days are those of {zone}.", { zone: data.timezone })}${" "}
      ${data.syncedAt && html`
        ${t("Numbers were collected last")} <${Time} at=${data.syncedAt} kind="relative" />.
        `}
    </p>
  `;
}

/** @param {{data: Overview}} props */
function Trend({ data }) {
  const [metric, setMetric] = useState(/** @type {Metric | "posts"} */ ("views"));
  /** @type {[Metric | "posts", string][]} */
  const choices = [...metrics(), ["posts", t("Posts")]];
  const name = choices.find(([key]) => key === metric)?.[1] ?? metric;
  const days = data.dailyTrend;
  const say = (/** @type {number} */ index) => [
    `${dayName(days[index].date)}: `,
    knownText(days[index][metric]),
    metric === "posts" ? "" : ` · ${tn(days[index].posts, "{n} post", "{n} posts")}`,
  ];
  return html`
    <${Card}
      title=${t("Day by day")}
      actions=${
        html`<div class="segmented" role="group" aria-label=${t("Number")}>
          ${choices.map(([key, word]) => html`
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
      <${LineChart}
        label=${t("{name} by day of publishing", { name })}
        days=${days.map((day) => dayName(day.date))}
        lines=${[{ name, values: days.map((day) => day[metric]) }]}
        say=${say}
      />
      <details>
        <summary>${t("As a table")}</summary>
        <${Table}
          label=${t("Day by day")}
          columns=${[t("Day"), t("Posts"), ...metrics().map(([, word]) => word)]}
          numbers=${[1, 2, 3, 4, 5]}
          rows=${[...days].reverse().map((day) => ({
            key: day.date,
            cells: [dayName(day.date), number(day.posts), ...metrics().map(([key]) => figure(day[key]))],
          }))}
        />
      </details>
    <//>
  `;
}

/** @param {{posts: TopPost[]}} props */
function TopPosts({ posts }) {
  return html`
    <${Card} title=${t("Most seen")}>
      ${posts.length ? html`
        <${Table}
          label=${t("Most seen")}
          columns=${[t("Post"), t("Views"), t("Likes"), t("Engagement")]}
          numbers=${[1, 2, 3]}
          rows=${posts.map((post) => ({
            key: post.postId + post.platform,
            href: to(`analytics/posts/${post.postId}`),
            cells: [
              html`<span class="name">
                <${NetworkLogo} platform=${post.platform} />
                <span class="clip">${post.title || post.excerpt || t("Post without text")}</span>
              </span>`,
              figure(post.views),
              figure(post.likes),
              percent(post.engagementRate),
            ],
          }))}
        />
      ` : html`
        <p class="soft">${t("Not known yet.")}</p>
      `}
    <//>
  `;
}

/** @param {{byPlatform: Overview["byPlatform"]}} props */
function Networks({ byPlatform }) {
  const rows = Object.entries(byPlatform).sort(([, a], [, b]) => (b.views ?? -1) - (a.views ?? -1));
  const most = Math.max(1, ...rows.map(([, totals]) => totals.views ?? 0));
  return html`
    <${Card} title=${t("By network")}>
      <ul class="list">
        ${rows.map(([key, totals]) => html`
          <li key=${key}>
            <div class="full">
              <${NetworkLogo} platform=${key} /> <strong>${networkName(key)}</strong>${" "}
              <span class="soft">${tn(totals.posts, "{n} post", "{n} posts")}</span>
              <${Bar} share=${(totals.views ?? 0) / most} />
              <dl class="facts small">
                ${metrics().map(([name, word]) => html`
                  <dt>${word}</dt>
                  <dd>${figure(totals[name])}</dd>
                `)}
                <dt>${t("Engagement")}</dt>
                <dd>${percent(totals.engagementRate)}</dd>
              </dl>
            </div>
          </li>
        `)}
      </ul>
    <//>
  `;
}

/** @param {{period: Record<string, string>}} props */
function Export({ period }) {
  const save = (/** @type {string} */ format) => async () => {
    const response = await download("/analytics/export", { ...period, format });
    toast(
      response.headers.get("x-clipped") === "true"
        ? t("Saved, without the days that the plan does not show.")
        : t("Saved."),
    );
  };
  const [csvBusy, saveCsv] = useAction(save("csv"));
  const [parquetBusy, saveParquet] = useAction(save("parquet"));
  return html`
    <${Card} title=${t("Take the numbers with you")}>
      <p class="soft">
        ${t(
          "A row for each post on each network, with its newest numbers. What a network did not give stays empty.",
        )}
      </p>
      <div class="actions">
        <${Button} busy=${csvBusy} onClick=${saveCsv}>
          ${t("CSV, for spreadsheets")}
        <//>
        <${Button} busy=${parquetBusy} onClick=${saveParquet}>
          ${t("Parquet, for programs")}
        <//>
      </div>
    <//>
  `;
}
