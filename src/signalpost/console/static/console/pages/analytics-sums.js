// The sums of a period: each number with its change, and what the plan leaves out.
import { html } from "../html.js";
import { Icon } from "../icons.js";
import { number, t } from "../i18n.js";
import { to } from "../router.js";
import { may } from "../store.js";
import { Change, dayName, figure, metrics, percent, periodName } from "./analytics-parts.js";

/** @typedef {import("signalpost/api").Schemas["Overview"]} Overview */
/** @typedef {import("signalpost/api").Schemas["PreviousTotals"]} PreviousTotals */
/** @typedef {import("./analytics-parts.js").Total} Total */

/** What the plan leaves out, and what is not collected yet. @param {{data: Overview}} props */
export function Notices({ data }) {
  return html`
    ${data.clipped && html`
      <div class="notice warn" role="status">
        <${Icon} name="clock" />
        <p>
          ${t("Your plan shows analytics since {day}; earlier days are left out.", {
            day: dayName(data.period.start),
          })}${" "}
          ${may("billing:read") && html`<a href=${to("billing")}>${t("Look at the plans")}</a>`}
        </p>
      </div>
    `}
    ${data.totalPosts > 0 && !data.measuredPosts && html`
      <div class="notice" role="status">
        <${Icon} name="clock" />
        <p>
          ${t(
            "No network has given numbers of these posts yet. They are asked 1, 6 and 24 hours after publishing, then daily.",
          )}
        </p>
      </div>
    `}
  `;
}

/** @param {{data: Overview}} props */
export function Totals({ data }) {
  const before = data.previous;
  /** @param {PreviousTotals | Overview | null} sums @param {Total} name */
  const sum = (sums, name) =>
    sums && (sums.sampleSizes[name] || !sums.totalPosts)
      ? sums[/** @type {`total${Capitalize<Total>}`} */ (`total${name[0].toUpperCase()}${name.slice(1)}`)]
      : null;
  const figures = /** @type {[Total, string][]} */ ([
    ...metrics(),
    ["saves", t("Saves")],
    ["impressions", t("Impressions")],
  ]);
  return html`
    <p class="soft">
      ${periodName(data.period)}
      ${" · "}
      ${before
        ? t("compared with {period}", { period: periodName(before.period) })
        : t("no comparison: the plan does not show the days before")}
    </p>
    <dl class="figures four">
      <div>
        <dt>${t("Posts")}</dt>
        <dd>${number(data.totalPosts)}</dd>
        <${Change} now=${data.totalPosts} before=${before?.totalPosts} />
      </div>
      ${figures.map(([key, name]) => html`
        <div>
          <dt>${name}</dt>
          <dd class=${sum(data, key) === null ? "unknown" : ""}>${figure(sum(data, key))}</dd>
          <${Change} now=${sum(data, key)} before=${sum(before, key)} />
          ${data.sampleSizes[key] > 0 && data.sampleSizes[key] < data.totalPosts && html`
            <dd class="aside">
              ${t("of {n} of {all} posts", {
                n: number(data.sampleSizes[key]),
                all: number(data.totalPosts),
              })}
            </dd>
          `}
        </div>
      `)}
      <div>
        <dt>${t("Engagement")}</dt>
        <dd class=${data.avgEngagementRate === null ? "unknown" : ""}>
          ${percent(data.avgEngagementRate)}
        </dd>
        ${Boolean(before?.avgEngagementRate) && html`
          <dd class="aside">
            ${t("before:")} ${percent(before?.avgEngagementRate ?? null)}
          </dd>
        `}
      </div>
    </dl>
  `;
}
