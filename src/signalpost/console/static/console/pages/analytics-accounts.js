// Accounts: how many follow each, how that changed, and how its posts did.
import { html, useState } from "../html.js";
import { all } from "../api.js";
import { number, t } from "../i18n.js";
import { LineChart, Spark } from "../charts.js";
import { useLoad } from "../hooks.js";
import { to } from "../router.js";
import { may, networkName } from "../store.js";
import { Time } from "../time.js";
import { NetworkLogo } from "../components/network-logo.js";
import { Button, LinkButton } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Empty } from "../components/empty.js";
import { Loaded } from "../components/loaded.js";
import { Table } from "../components/table.js";
import { dayName, figure, knownText, signed } from "./analytics-parts.js";

/** @param {number | null} change */
const changed = (change) =>
  change === null ? html`
    <span class="soft">${t("not known")}</span>
  ` : html`
    <span class=${change > 0 ? "up" : change < 0 ? "down" : "soft"}>${signed(change)}</span>
  `;

/**
 * Every day from the first count to the last; null where there was none.
 * @param {{date: string, followers: number}[]} history
 */
function daily(history) {
  const counts = new Map(history.map((day) => [day.date, day.followers]));
  const days = [];
  for (let at = Date.parse(history[0].date); at <= Date.parse(history.at(-1)?.date ?? ""); at += 86_400_000)
    days.push(new Date(at).toISOString().slice(0, 10));
  return days.map((date) => ({ date, followers: counts.get(date) ?? null }));
}

/** @typedef {import("signalpost/api").Rows<"/analytics/accounts">[0]} Numbers */

/** @param {{query: Record<string, string>}} props */
export default function Accounts({ query }) {
  const profileId = query.profileId ?? "";
  const loaded = useLoad(() => all("/analytics/accounts", { profileId }), [profileId]);
  const [opened, setShown] = useState(/** @type {Numbers | null} */ (null));
  return html`
    <${Loaded} loaded=${loaded} lines=${6}>
      ${(/** @type {typeof loaded.data} */ accounts) =>
        accounts.length ? html`
          <${Table}
            label=${t("Accounts")}
            columns=${[
              t("Account"),
              t("Followers"),
              t("7 days"),
              t("30 days"),
              t("Posts"),
              t("Views"),
              t("Likes"),
              t("90 days"),
            ]}
            numbers=${[1, 2, 3, 4, 5, 6]}
            rows=${accounts.map((account) => ({
              key: account.accountId,
              cells: cellsOf(account, setShown),
            }))}
          />
          <p class="soft small">
            ${t(
              "Networks are asked once a day. Bluesky, LinkedIn and Threads do not say how many follow.",
            )}
          </p>
          ` : html`
          <${Empty}
            title=${t("No accounts yet")}
            icon="accounts"
            action=${
              may("accounts:write") && html`
                <${LinkButton} href=${to("accounts", { connect: "1" })} kind="primary">
                  ${t("Connect a network")}
                <//>
              `
            }
          >
            ${t("Connected accounts stand here with those who follow them, and how that changed.")}
          <//>
        `
      }
    <//>
    ${opened && html`<${Followers} account=${opened} onClose=${() => setShown(null)} />`}
  `;
}

/** @param {{account: Numbers, onClose: () => void}} props */
function Followers({ account, onClose }) {
  const days = daily(account.history);
  return html`
    <${Dialog} title=${t("Followers of {name}", { name: account.username })} onClose=${onClose} wide>
      <${LineChart}
        label=${t("Followers by day")}
        days=${days.map((day) => dayName(day.date))}
        lines=${[{ name: t("Followers"), values: days.map((day) => day.followers) }]}
        say=${(/** @type {number} */ index) => [
          `${dayName(days[index].date)}: `,
          knownText(days[index].followers),
          "",
        ]}
      />
      <p class="soft small">
        ${t("Asked last")} <${Time} at=${account.collectedAt} kind="relative" />
      </p>
      <details>
        <summary>${t("As a table")}</summary>
        <${Table}
          label=${t("Followers by day")}
          columns=${[t("Day"), t("Followers")]}
          numbers=${[1]}
          rows=${[...days]
            .reverse()
            .map((day) => ({ key: day.date, cells: [dayName(day.date), figure(day.followers)] }))}
        />
      </details>
    <//>
  `;
}

/** @param {Numbers} account @param {(account: Numbers) => void} onOpen */
const cellsOf = (account, onOpen) => [
  html`<span class="name">
    <${NetworkLogo} platform=${account.platform} />
    <span>
      ${account.username}
      <br />
      <span class="soft small">${networkName(account.platform)}</span>
    </span>
  </span>`,
  figure(account.followers),
  changed(account.followersChange7d),
  changed(account.followersChange30d),
  number(account.totals.posts),
  figure(account.totals.views),
  figure(account.totals.likes),
  account.history.length > 1 ? html`
    <${Button}
      kind="quiet"
      aria-label=${t("Followers of {name}", { name: account.username })}
      onClick=${() => onOpen(account)}
    >
      <${Spark} values=${daily(account.history).map((day) => day.followers)} />
    <//>
  ` : html`
    <span class="soft">${t("not given")}</span>
  `,
];
