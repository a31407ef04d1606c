// Best times: the 168 hours of the week. An hour has a colour only if enough posts tell how well it does.
import { html } from "../html.js";
import { get } from "../api.js";
import { Icon } from "../icons.js";
import { locale, number, t, tn } from "../i18n.js";
import { useLoad, useMedia } from "../hooks.js";
import { filter } from "../router.js";
import { accounts, networkName } from "../store.js";
import { stylesheet } from "../stylesheet.js";
import { format } from "../time.js";
import { Field } from "../components/field.js";
import { Loaded } from "../components/loaded.js";
import { Card } from "../components/page.js";
import { WEEK, weekdayName } from "../weekdays.js";

/** @typedef {import("signalpost/api").Schemas["BestTimes"]} BestTimes */
/** @typedef {import("signalpost/api").Schemas["TimeOfWeek"]} TimeOfWeek */

await stylesheet("pages/analytics-times.css");

const SHADES = 5;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** @param {number} hour */
const hourName = (hour) =>
  format(new Date(Date.UTC(2024, 0, 1, hour)), { hour: "numeric", minute: "2-digit" }, "UTC");
const confidenceWord = (/** @type {string} */ key) =>
  ({ low: t("little certainty"), medium: t("some certainty"), high: t("much certainty") })[key] ?? key;

/** Where the window is narrow: hours then go down instead of across. */
const NARROW = "(max-width: 48rem)";

/** @param {{query: Record<string, string>}} props */
export default function Times({ query }) {
  const { platform = "", profileId = "" } = query;
  const loaded = useLoad(
    () => get("/analytics/best-times", { platform, profileId }),
    [platform, profileId],
  );
  const own = (accounts.value ?? []).filter((account) => !profileId || account.profileId === profileId);
  const connected = [...new Set(own.map((account) => account.platform))];
  return html`
    <form class="row filters short" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
      <${Field}
        label=${t("Network")}
        options=${[["", t("All networks")], ...connected.map((key) => [key, networkName(key)])]}
        value=${platform}
        onInput=${(/** @type {string} */ value) => filter({ platform: value })}
      />
    </form>
    <${Loaded} loaded=${loaded} lines=${9}>
      ${(/** @type {typeof loaded.data} */ data) => html`
        <${Basis} data=${data} />
        <${Recommended} data=${data} />
        <${Heat} data=${data} />
        `}
    <//>
  `;
}

/** @param {{data: BestTimes}} props */
function Basis({ data }) {
  const posts = tn(data.sampleSize, "{n} post", "{n} posts");
  if (data.basis === "defaults")
    return html`
      <div class="notice warn" role="status">
        <${Icon} name="question" />
        <p>
          <strong>${t("Not enough data")}</strong>:${" "}
          ${t(
            "{posts} of the last year have numbers, and 20 are needed. The times below are rules of thumb, not yours.",
            { posts },
          )}
        </p>
      </div>
    `;
  const words =
    data.confidence === "low"
      ? t("{posts} show no pattern that chance would not show as well.", { posts })
      : t("From {posts} of the last year, with {certainty}.", {
          posts,
          certainty: confidenceWord(data.confidence),
        });
  return html`
    <div class=${data.confidence === "low" ? "notice warn" : "notice ok"} role="status">
      <${Icon} name=${data.confidence === "low" ? "question" : "check"} />
      <p>${words}</p>
    </div>
  `;
}

/** @param {{data: BestTimes}} props */
function Recommended({ data }) {
  const score = (/** @type {number} */ value) =>
    new Intl.NumberFormat(locale(), { style: "percent", maximumFractionDigits: 0 }).format(value);
  return html`
    <${Card}
      title=${
        data.basis === "defaults"
          ? t("Rules of thumb")
          : data.confidence === "low"
            ? t("Worth a try")
            : t("Best times")
      }
      actions=${html`<span class="soft">${data.timezone}</span>`}
    >
      <ol class="list">
        ${data.recommended.map((slot) => html`
          <li>
            <strong class="grow">
              ${weekdayName(slot.dayOfWeek, "long")}, ${hourName(slot.hour)}
            </strong>
            <span class="soft">
              ${slot.postCount
                ? `${tn(slot.postCount, "{n} post", "{n} posts")} · ${confidenceWord(slot.confidence)}`
                : t("no posts of yours")}
            </span>
            <span>${t("score {n}", { n: score(slot.score) })}</span>
          </li>
        `)}
      </ol>
    <//>
  `;
}

/** @param {{data: BestTimes}} props */
function Heat({ data }) {
  const narrow = useMedia(NARROW);
  const slots = new Map(data.slots.map((slot) => [slot.dayOfWeek * 24 + slot.hour, slot]));
  const cell = (/** @type {number} */ day, /** @type {number} */ hour) => html`
    <${Cell} slot=${slots.get(day * 24 + hour)} name=${`${weekdayName(day)} ${hourName(hour)}`} />
  `;
  const table = narrow ? html`
    <thead>
      <tr>
        <th scope="col">${t("Hour")}</th>
        ${WEEK.map((day) => html`
          <th scope="col">${weekdayName(day)}</th>
        `)}
      </tr>
    </thead>
    <tbody>
      ${HOURS.map((hour) => html`
        <tr>
          <th scope="row">${hourName(hour)}</th>
          ${WEEK.map((day) => cell(day, hour))}
        </tr>
      `)}
    </tbody>
  ` : html`
    <thead>
      <tr>
        <th scope="col">${t("Day")}</th>
        ${HOURS.map((hour) => html`
          <th scope="col">${hour}</th>
        `)}
      </tr>
    </thead>
    <tbody>
      ${WEEK.map((day) => html`
        <tr>
          <th scope="row">${weekdayName(day)}</th>
          ${HOURS.map((hour) => cell(day, hour))}
        </tr>
      `)}
    </tbody>
  `;
  return html`
    <${Card} title=${t("The week")}>
      <p class="soft">
        ${t("In each hour: how many posts were published in it. Grey: not enough data to tell.")}
      </p>
      <table class="heat" aria-label=${t("The week, hour by hour")}>
        ${table}
      </table>
      <ul class="chart-legend">
        <li>
          <span class="swatch shade" />
          ${t("not enough data")}
        </li>
        <li>
          <span class="swatch shade heat0" />
          ${t("weaker")}
        </li>
        <li>
          <span class="swatch shade heat4" />
          ${t("better")}
        </li>
      </ul>
    <//>
  `;
}

/** @param {{slot: TimeOfWeek, name: string}} props */
function Cell({ slot, name }) {
  const enough = slot.postCount > 0 && slot.confidence !== "low";
  const average =
    slot.avgEngagement === null ? "" : ` · ${t("{n} reactions a post", { n: number(slot.avgEngagement) })}`;
  const words = [
    `${name}: ${tn(slot.postCount, "{n} post", "{n} posts")}${average}`,
    enough ? confidenceWord(slot.confidence) : t("not enough data"),
  ].join(" · ");
  return html`
    <td
      class=${enough ? `heat${Math.min(SHADES - 1, Math.floor(slot.score * SHADES))}` : undefined}
      title=${words}
    >
      ${slot.postCount || ""}
      <span class="hidden">${words}</span>
    </td>
  `;
}
