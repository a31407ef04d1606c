// All posts of a period with their numbers, sorted by any of them: the rows of the export, which is one call
// for all.
import { html, useMemo } from "../html.js";
import { t, tn } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { filter, to } from "../router.js";
import { accountOf, networkName } from "../store.js";
import { Time } from "../time.js";
import { NetworkLogo } from "../components/network-logo.js";
import { Empty } from "../components/empty.js";
import { Field } from "../components/field.js";
import { Loaded } from "../components/loaded.js";
import { Table } from "../components/table.js";
import { PeriodFilter, figure, metrics, percent, periodOf } from "./analytics-parts.js";
import { ROWS_MAX, numeric, postRows, titleOf } from "./analytics-rows.js";

/** @param {{query: Record<string, string>}} props */
export default function Posts({ query }) {
  const period = periodOf(query);
  const sort = query.sort ?? "-publishedAt";
  const loaded = useLoad(() => postRows(period), [JSON.stringify(period)]);
  const options = [
    ["-publishedAt", t("newest first")],
    ["publishedAt", t("oldest first")],
    ...[...metrics(), ["engagementRate", t("Engagement")]].flatMap(([key, name]) => [
      [`-${key}`, t("{name}: most first", { name })],
      [key, t("{name}: least first", { name })],
    ]),
  ];
  return html`
    <${PeriodFilter} query=${query}>
      <${Field}
        label=${t("Sorted by")}
        options=${options}
        value=${sort}
        onInput=${(/** @type {string} */ value) => filter({ sort: value })}
      />
    <//>
    <${Loaded} loaded=${loaded} lines=${8}>
      ${(/** @type {typeof loaded.data} */ rows) =>
        rows.length ? html`
          <${Rows} rows=${rows} sort=${sort} />
        ` : html`
          <${Empty} title=${t("Nothing was published in this period")} icon="analytics">
            ${t("Choose a longer period, or come back when something is published.")}
          <//>
        `
      }
    <//>
  `;
}

/** @param {{rows: Record<string, string>[], sort: string}} props */
function Rows({ rows, sort }) {
  const key = sort.replace("-", "");
  const sorted = useMemo(() => {
    const sign = sort.startsWith("-") ? -1 : 1;
    const value = (/** @type {Record<string, string>} */ row) =>
      key === "publishedAt" ? Date.parse(row[key]) : numeric(row[key] ?? "");
    return [...rows].sort((a, b) => {
      const [mine, its] = [value(a), value(b)];
      // Unknown is last, whichever the order.
      if (mine === null || its === null) return Number(mine === null) - Number(its === null);
      return sign * (mine - its);
    });
  }, [rows, sort]);
  return html`
    <p class="soft" role="status">
      ${tn(rows.length, "{n} post", "{n} posts")}
    </p>
    <${Table}
      key=${sort}
      label=${t("Posts")}
      columns=${[
        t("Post"),
        t("Account"),
        t("Published"),
        ...metrics().map(([, name]) => name),
        t("Engagement"),
      ]}
      numbers=${[3, 4, 5, 6, 7]}
      cut=${rows.length >= ROWS_MAX}
      rows=${sorted.map((row) => ({
        key: row.targetId,
        href: to(`analytics/posts/${row.postId}`),
        cells: [
          html`<span class="clip">${titleOf(row)}</span>`,
          html`<span class="name">
            <${NetworkLogo} platform=${row.platform} />
            <span>${accountOf(row.accountId)?.username ?? networkName(row.platform)}</span>
          </span>`,
          html`<${Time} at=${row.publishedAt} />`,
          ...metrics().map(([name]) => figure(numeric(row[name]))),
          percent(numeric(row.engagementRate)),
        ],
      }))}
    />
  `;
}
