// A month of a client at a glance, as it is handed to them: on paper, or as a PDF by the browser's own print.
import { html, useState } from "../html.js";
import { all, get, hasExtension } from "../api.js";
import { LineChart } from "../charts.js";
import { number, t, tn } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { Thumb } from "../post-parts.js";
import { filter, to } from "../router.js";
import { accountOf, me, networkName, profiles, workspaceZone } from "../store.js";
import { stylesheet } from "../stylesheet.js";
import { Time, format, wallTime } from "../time.js";
import { ClientMark } from "../components/avatar.js";
import { Button } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { Field } from "../components/field.js";
import { lazyDialog } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { NetworkLogo } from "../components/network-logo.js";
import { Card } from "../components/page.js";
import { Table } from "../components/table.js";
import { dayName, figure, knownText, metrics, percent, signed } from "./analytics-parts.js";
import { numeric, postRows, titleOf } from "./analytics-rows.js";
import { Notices, Totals } from "./analytics-sums.js";

await Promise.all([stylesheet("print.css"), stylesheet("pages/analytics-report.css")]);

/** @typedef {import("signalpost/api").Rows<"/analytics/accounts">[0]} AccountNumbers */
/** @typedef {import("signalpost/api").Schemas["Overview"]} Overview */
/** @typedef {import("signalpost/api").Schemas["TopPost"]} TopPost */
/** @typedef {{overview: Overview, rows: Record<string, string>[], accounts: AccountNumbers[]}} Report */

/** @typedef {import("./analytics-parts.js").Metric} Metric */

const Share = lazyDialog(() => import("./analytics-share.js"));
const MONTHS = 13;
const ROWS_MAX = 500;

/** The months that can be chosen, the present one first: "2026-11". @param {string} today */
function months(today) {
  const [year, month] = today.split("-").map(Number);
  return Array.from({ length: MONTHS }, (_, back) =>
    new Date(Date.UTC(year, month - 1 - back, 1)).toISOString().slice(0, 7),
  );
}

/** @param {string} month */
const monthName = (month) => format(`${month}-01T12:00:00Z`, { month: "long", year: "numeric" }, "UTC");

/** The first day of a month, and its last one. @param {string} month */
function daysOf(month) {
  const [year, following] = month.split("-").map(Number);
  return [`${month}-01`, new Date(Date.UTC(year, following, 0)).toISOString().slice(0, 10)];
}

/** @param {{query: Record<string, string>}} props */
export default function MonthReport({ query }) {
  const profileId = query.profileId ?? "";
  const client = profiles.value?.find((profile) => profile.id === profileId);
  const today = wallTime(new Date(), client?.timezone ?? workspaceZone.value).slice(0, 10);
  const choices = months(today);
  const month = choices.includes(query.month) ? query.month : choices[1];
  const [startDate, last] = daysOf(month);
  const period = { startDate, endDate: last < today ? last : "", profileId };
  const [sharing, setSharing] = useState(false);
  const loaded = useLoad(async () => {
    const [overview, rows, accounts] = await Promise.all([
      get("/analytics/overview", period),
      postRows(period),
      all("/analytics/accounts", { profileId }),
    ]);
    return { overview, rows, accounts };
  }, [JSON.stringify(period)]);
  return html`
    <form
      class="row filters short report-choice"
      onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}
    >
      <${Field}
        label=${t("Month")}
        options=${choices.map((choice) => [choice, monthName(choice)])}
        value=${month}
        onInput=${(/** @type {string} */ value) => filter({ month: value })}
      />
      <${Button} kind="primary" busy=${loaded.loading} onClick=${() => print()}>
        ${t("Print or save as PDF")}
      <//>
      ${client && hasExtension("report_links") && html`
        <${Button} icon="link" onClick=${() => setSharing(true)}>
          ${t("Share by link")}
        <//>
      `}
      ${!profileId && html`
        <p class="soft">${t("Choose a client at the top for a report of theirs alone.")}</p>
      `}
    </form>
    <${Loaded} loaded=${loaded} lines=${10}>
      ${(/** @type {Report} */ data) => html`
        <${Sheet} data=${data} client=${client} month=${month} isOver=${last < today} />
      `}
    <//>
    ${sharing && client && html`<${Share} client=${client} onClose=${() => setSharing(false)} />`}
  `;
}

/**
 * What is handed over.
 * @param {{
 *   data: Report, client?: import("../store.js").Profile, month: string, isOver: boolean
 * }} props
 */
function Sheet({ data, client, month, isOver }) {
  const { overview } = data;
  const [start, end] = daysOf(month);
  return html`
    <article class="report" aria-labelledby="report-title">
      <header class="report-head">
        ${client && html`<${ClientMark} client=${client} />`}
        <div>
          <h2 id="report-title">
            <bdi>${client?.name ?? me.value.workspace.name}</bdi>
          </h2>
          <p>${monthName(month)}</p>
        </div>
      </header>
      <${Notices} data=${overview} />
      ${!isOver && html`
        <p class="notice" role="status">
          ${t("The month is not over: these are its numbers until today.")}
        </p>
      `}
      ${overview.totalPosts ? html`
        <${Published} data=${data} />
      ` : html`
        <${Empty} title=${t("Nothing was published in this month")} icon="analytics">
          ${t("Choose another month.")}
        <//>
      `}
      <${Followers} accounts=${data.accounts} start=${start} end=${end} />
      <p class="soft small">
        ${t(
          "Numbers of {day}, as the networks gave them. What a network does not give is not counted as 0.",
          { day: format(new Date(), { dateStyle: "long" }) },
        )}${" "}
        ${t("Days are those of {zone}.", { zone: overview.timezone })}
      </p>
    </article>
  `;
}

/** The numbers that any network gave of these: paper has no room for columns that say nothing. */
const columnsOf = (/** @type {(name: Metric) => boolean} */ hasNumber) =>
  metrics().filter(([name]) => hasNumber(name));

/** @param {{data: Report}} props */
function Published({ data }) {
  const { overview, rows } = data;
  const days = overview.dailyTrend;
  const isSeen = days.some((day) => day.views);
  const [name, values] = isSeen
    ? [t("Views"), days.map((day) => day.views)]
    : [t("Posts"), days.map((day) => day.posts)];
  return html`
    <${Totals} data=${overview} />
    <${Card} title=${t("Day by day")} class="report-days">
      <${LineChart}
        label=${t("{name} by day of publishing", { name })}
        days=${days.map((day) => dayName(day.date))}
        lines=${[{ name, values }]}
        say=${(/** @type {number} */ index) => [
          `${dayName(days[index].date)}: `,
          knownText(values[index]),
          isSeen ? ` · ${tn(days[index].posts, "{n} post", "{n} posts")}` : "",
        ]}
      />
    <//>
    <${TopPosts} posts=${overview.topPosts} />
    <${ByNetwork} byPlatform=${overview.byPlatform} />
    <${Everything} rows=${rows} />
  `;
}

/** The best posts as they were written, with their pictures. @param {{posts: TopPost[]}} props */
function TopPosts({ posts }) {
  if (!posts.length) return null;
  return html`
    <${Card} title=${t("Most seen")}>
      <ol class="report-top">
        ${posts.map((post) => html`
          <${TopPostItem} key=${post.postId + post.platform} post=${post} />
        `)}
      </ol>
    <//>
  `;
}

/** @param {{post: TopPost}} props */
function TopPostItem({ post }) {
  // A post that was deleted since then has its numbers, and no picture.
  const loaded = useLoad(() => get(`/posts/${post.postId}`, {}, { quiet: true }), [post.postId]);
  const file = loaded.data?.media[0];
  return html`
    <li>
      ${file && html`<${Thumb} id=${file.mediaId} alt="" />`}
      <div>
        <p class="name">
          <${NetworkLogo} platform=${post.platform} />
          <strong>${networkName(post.platform)}</strong>
        </p>
        <p class="report-text" dir="auto">
          <a href=${to(`analytics/posts/${post.postId}`)}>
            ${post.title || post.excerpt || t("Post without text")}
          </a>
        </p>
        <dl class="facts small">
          ${metrics().map(([name, word]) => html`
            <dt>${word}</dt>
            <dd>${figure(post[name])}</dd>
          `)}
          <dt>${t("Engagement")}</dt>
          <dd>${percent(post.engagementRate)}</dd>
        </dl>
      </div>
    </li>
  `;
}

/** @param {{byPlatform: Overview["byPlatform"]}} props */
function ByNetwork({ byPlatform }) {
  const rows = Object.entries(byPlatform).sort(([, a], [, b]) => b.posts - a.posts);
  const columns = columnsOf((name) => rows.some(([, totals]) => totals[name] !== null));
  const isRated = rows.some(([, { engagementRate }]) => engagementRate !== null);
  return html`
    <${Card} title=${t("By network")}>
      <${Table}
        label=${t("By network")}
        columns=${[
          t("Network"),
          t("Posts"),
          ...columns.map(([, word]) => word),
          isRated && t("Engagement"),
        ].filter(Boolean)}
        numbers=${[1, 2, 3, 4, 5, 6]}
        rows=${rows.map(([key, totals]) => ({
          key,
          cells: [
            html`<span class="name">
              <${NetworkLogo} platform=${key} />
              <span>${networkName(key)}</span>
            </span>`,
            number(totals.posts),
            ...columns.map(([name]) => figure(totals[name])),
            ...(isRated ? [percent(totals.engagementRate)] : []),
          ],
        }))}
      />
    <//>
  `;
}

/**
 * Every post of the month, in the order in which they went out.
 * @param {{rows: Record<string, string>[]}} props
 */
function Everything({ rows }) {
  const columns = columnsOf((name) => rows.some((row) => row[name] !== ""));
  const inOrder = [...rows].sort((a, b) => Date.parse(a.publishedAt) - Date.parse(b.publishedAt));
  return html`
    <${Card} title=${t("Everything that was published")}>
      <${Table}
        label=${t("Everything that was published")}
        columns=${[t("Post"), t("Account"), t("Published"), ...columns.map(([, word]) => word)]}
        numbers=${[3, 4, 5, 6]}
        atFirst=${Infinity}
        rows=${inOrder.slice(0, ROWS_MAX).map((row) => ({
          key: row.targetId,
          href: to(`analytics/posts/${row.postId}`),
          cells: [
            html`<span class="clip" dir="auto">
              ${titleOf(row)}
            </span>`,
            html`<span class="name">
              <${NetworkLogo} platform=${row.platform} />
              <span>${accountOf(row.accountId)?.username ?? networkName(row.platform)}</span>
            </span>`,
            html`<${Time} at=${row.publishedAt} />`,
            ...columns.map(([name]) => figure(numeric(row[name]))),
          ],
        }))}
      />
      ${inOrder.length > ROWS_MAX && html`
        <p class="soft">
          ${t("The first {n} of {all}. The others stand in the export of these days.", {
            n: number(ROWS_MAX),
            all: number(inOrder.length),
          })}
        </p>
      `}
    <//>
  `;
}

/**
 * How many followed each account at the end of the days, and how that changed since their first count.
 * @param {{accounts: AccountNumbers[], start: string, end: string}} props
 */
function Followers({ accounts, start, end }) {
  const counted = accounts.map((account) => ({
    account,
    counts: account.history.filter(({ date }) => date >= start && date <= end),
  }));
  if (!counted.some(({ counts }) => counts.length)) return null;
  return html`
    <${Card} title=${t("Followers")}>
      <${Table}
        label=${t("Followers")}
        columns=${[t("Account"), t("Followers"), t("Gained"), t("Counted")]}
        numbers=${[1, 2]}
        atFirst=${Infinity}
        rows=${counted.map(({ account, counts }) => ({
          key: account.accountId,
          cells: [
            html`<span class="name">
              <${NetworkLogo} platform=${account.platform} />
              <span>${account.username}</span>
            </span>`,
            figure(counts.at(-1)?.followers ?? null),
            counts.length > 1
              ? signed((counts.at(-1)?.followers ?? 0) - counts[0].followers)
              : figure(null),
            counts.length ? `${dayName(counts[0].date)} – ${dayName(counts.at(-1)?.date ?? "")}` : "",
          ],
        }))}
      />
    <//>
  `;
}
