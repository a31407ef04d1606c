// How often a link page was opened in the last days, and each of its links clicked.
import { html } from "../html.js";
import { get } from "../api.js";
import { LineChart } from "../charts.js";
import { useLoad } from "../hooks.js";
import { number, t } from "../i18n.js";
import { dayName } from "../zones.js";
import { Loaded } from "../components/loaded.js";
import { Card } from "../components/page.js";
import { Table } from "../components/table.js";

/** @typedef {import("signalpost/api").Schemas["LinkPageStats"]} Stats */

const DAY = /** @type {const} */ ({ day: "numeric", month: "short" });

/** @param {{clientId: string}} props */
export default function Numbers({ clientId }) {
  const loaded = useLoad(() => get(`/profiles/${clientId}/link-page/stats`), [clientId]);
  return html`
    <${Card} title=${t("The last 30 days")}>
      <${Loaded} loaded=${loaded}>
        ${(/** @type {Stats} */ { views, clicks, daily, links }) => html`
          <p>
            ${t("Opened {views} times, its links clicked {clicks} times.", {
              views: number(views),
              clicks: number(clicks),
            })}
          </p>
          <${LineChart}
            label=${t("Views and clicks by day")}
            days=${daily.map(({ date }) => dayName(date, DAY))}
            lines=${[
              { name: t("Views"), values: daily.map((day) => day.views) },
              { name: t("Clicks"), values: daily.map((day) => day.clicks) },
            ]}
            say=${(/** @type {number} */ index) => [
              `${dayName(daily[index].date, DAY)}: `,
              number(daily[index].views),
              ` · ${t("{n} clicks", { n: number(daily[index].clicks) })}`,
            ]}
          />
          ${links.length > 0 && html`
            <${Table}
              label=${t("Clicks by link")}
              columns=${[t("Link"), t("Clicks")]}
              numbers=${[1]}
              rows=${links.map((link) => ({
                key: link.id,
                cells: [html`<span dir="auto">${link.title}</span>`, number(link.clicks)],
              }))}
            />
          `}
          <p class="hint">
            ${t(
              "Counted without cookies and without bots. A click appears within some seconds; days are those of UTC.",
            )}
          </p>
        `}
      <//>
    <//>
  `;
}
