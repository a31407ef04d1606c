// What of the calendar is shown: its days, its view, its filters.
import { html, useState } from "../html.js";
import { hasExtension } from "../api.js";
import { allClients } from "../client.js";
import { t, tn } from "../i18n.js";
import { filter } from "../router.js";
import { accounts, networkName, platforms, profiles } from "../store.js";
import { dayName } from "../zones.js";
import { Button } from "../components/button.js";
import { Field } from "../components/field.js";
import { lazyDialog } from "../components/lazy.js";
import { TypedField } from "../components/typed-field.js";
import { isChoosing } from "./calendar-post.js";

const Subscribe = lazyDialog(() => import("./calendar-subscribe.js"));

const STATUSES = /** @type {() => [string, string][]} */ (
  () => [
    ["", t("All states")],
    ["draft", t("Draft")],
    ["scheduled", t("Scheduled")],
    ["queued", t("Queued")],
    ["publishing", t("Publishing")],
    ["published", t("Published")],
    ["partial", t("Partly published")],
    ["failed", t("Failed")],
  ]
);

export const VIEWS = /** @type {() => Record<string, string>} */ (
  () => ({ weeks: t("5 weeks"), month: t("Month"), week: t("Week"), day: t("Day"), list: t("List") })
);

/** @param {{view: string, show: (change: Record<string, string>) => void}} props */
export const Views = ({ view, show }) => html`
  <div class="segmented calendar-view" role="group" aria-label=${t("View")}>
    ${Object.entries(VIEWS()).map(([key, name]) => html`
      <${Button}
        kind="quiet"
        key=${key}
        aria-pressed=${key === view ? "true" : "false"}
        onClick=${() => show({ view: key })}
      >
        ${name}
      <//>
    `)}
  </div>
`;

/** Whose month is printed. @param {string} profileId */
const clientName = (profileId) => profiles.value?.find(({ id }) => id === profileId)?.name ?? allClients();

/**
 * Which days are shown, in words.
 * @param {{view: string, date: string, first: string, last: string}} place
 */
function daysShown({ view, date, first, last }) {
  return view === "month"
    ? dayName(date, { month: "long", year: "numeric" })
    : view === "week" || view === "weeks"
      ? [
          dayName(first, { day: "numeric", month: "short" }),
          dayName(last, { day: "numeric", month: "short", year: "numeric" }),
        ].join(" – ")
      : view === "day"
        ? dayName(date, { weekday: "long", day: "numeric", month: "long", year: "numeric" })
        : t("From {day} on", {
            day: dayName(date, { weekday: "short", day: "numeric", month: "short", year: "numeric" }),
          });
}

/** What is shown, and the way to other days. @param {any} props */
export function Bar({ view, date, first, last, today, filters, hasDrafts, print, step, show, busy }) {
  const [isSubscribing, setSubscribing] = useState(false);
  return html`
    <div class="calendar-bar">
      <${Button}
        onClick=${() => show({ date: today })}
        aria-disabled=${date === today ? "true" : undefined}
      >
        ${t("Today")}
      <//>
      <${Button} kind="quiet" icon="back" aria-label=${t("Earlier")} onClick=${() => step(-1)} />
      <${Button} kind="quiet" icon="next" aria-label=${t("Later")} onClick=${() => step(1)} />
      <h2 aria-live="polite">
        <span class="calendar-print" dir="auto">
          ${clientName(filters.profileId)} ·${" "}
        </span>
        ${daysShown({ view, date, first, last })}
      </h2>
      <${Button}
        kind="quiet"
        icon="compose"
        class="button quiet right"
        aria-pressed=${String(hasDrafts)}
        onClick=${() => show({ drafts: hasDrafts ? "" : "1" })}
      >
        ${t("Drafts")}
      <//>
      <${Button}
        kind="quiet"
        icon="check"
        class="button quiet toggle"
        aria-pressed=${String(isChoosing.value)}
        onClick=${() => {
          isChoosing.value = !isChoosing.value;
        }}
      >
        ${t("Choose posts")}
      <//>
      ${hasExtension("calendar_links") && html`
        <${Button} kind="quiet" icon="link" onClick=${() => setSubscribing(true)}>
          ${t("Subscribe")}
        <//>
      `}
      <${Button} kind="quiet" icon="posts" onClick=${print}>
        ${t("Print")}
      <//>
      ${busy && html`<span class="spinner" role="status" aria-label=${t("Loading")} />`}
      ${isSubscribing && html`<${Subscribe} filters=${filters} onClose=${() => setSubscribing(false)} />`}
    </div>
  `;
}

/** @param {{filters: Record<string, string>}} props */
export function Filters({ filters }) {
  const { profileId, ...others } = filters; // the client is chosen at the top
  const count = Object.values(others).filter(Boolean).length;
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) => filter({ [name]: value });
  const choices = (accounts.value ?? []).filter((account) => !profileId || account.profileId === profileId);
  return html`
    <details class="calendar-filters" open=${count > 0}>
      <summary>${count ? tn(count, "{n} filter", "{n} filters") : t("Filters")}</summary>
      <form
        class="row filters"
        role="search"
        onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}
      >
        <${Field}
          label=${t("Account")}
          options=${[
            ["", t("All accounts")],
            ...choices.map((account) => [
              account.id,
              `${account.username} · ${networkName(account.platform)}`,
            ]),
          ]}
          value=${filters.accountId}
          onInput=${set("accountId")}
        />
        <${Field}
          label=${t("Network")}
          options=${[
            ["", t("All networks")],
            ...(platforms.value ?? []).map((network) => [network.platform, network.name]),
          ]}
          value=${filters.platform}
          onInput=${set("platform")}
        />
        <${Field}
          label=${t("State")}
          options=${STATUSES()}
          value=${filters.status}
          onInput=${set("status")}
        />
        <${TypedField}
          label=${t("Tag")}
          type="search"
          value=${filters.tag}
          maxlength="100"
          onPause=${set("tag")}
        />
        ${count > 0 && html`
          <${Button}
            kind="quiet"
            icon="close"
            onClick=${() => filter({ accountId: "", platform: "", status: "", tag: "" })}
          >
            ${t("Clear the filters")}
          <//>
        `}
      </form>
    </details>
  `;
}
