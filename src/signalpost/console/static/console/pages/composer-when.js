// When a post is published; and what few posts have, such as a first comment.
import { html } from "../html.js";
import { all, get } from "../api.js";
import { t } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { zone } from "../store.js";
import { Time, wallTime, zoneLabel } from "../time.js";
import { clockNote, resolve } from "../zones.js";
import { Field } from "../components/field.js";
import { lazy } from "../components/lazy.js";

/** @typedef {import("../draft.js").Change} Change */
/** @typedef {import("../draft.js").ErrorAt} ErrorAt */
/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("signalpost/api").Schemas["PostValidation"]} PostValidation */

const Repeats = lazy(() => import("./composer-repeat.js"), 1);

/**
 * @param {{draft: Draft, change: Change, errorAt: ErrorAt, checked: PostValidation | null}} props
 */
export function When({ draft, change, errorAt, checked }) {
  const queues = useLoad(() => all("/queues", { profileId: draft.profileId }, 50), [draft.profileId]);
  const choices = /** @type {["now" | "slot" | "schedule", string][]} */ ([
    ["now", t("Now")],
    ["schedule", t("At a time")],
    ...(queues.data?.length ? [["slot", t("Next free slot")]] : []),
  ]);
  return html`
    <fieldset class="when">
      <legend class="legend">${t("When")}</legend>
      <div class="segmented">
        ${choices.map(([key, name]) => html`
          <label class="button quiet radio">
            <input
              type="radio"
              name="when"
              value=${key}
              checked=${draft.when === key}
              onChange=${() =>
                change({
                  when: key,
                  ...(key === "schedule" && !draft.at
                    ? { at: wallTime(new Date(Date.now() + 3_600_000), draft.timezone) }
                    : {}),
                })
              }
            />
            <span>${name}</span>
          </label>
        `)}
      </div>
      ${draft.when === "schedule" && html`
        <${AtTime} draft=${draft} change=${change} errorAt=${errorAt} />
        <${Repeats} draft=${draft} change=${change} errorAt=${errorAt} checked=${checked} />
      `}
      ${draft.when === "slot" && html`
        <${NextSlot} draft=${draft} change=${change} queues=${queues.data ?? []} />
      `}
    </fieldset>
  `;
}

/** @param {{draft: Draft, change: Change, errorAt: ErrorAt}} props */
function AtTime({ draft, change, errorAt }) {
  const zones = [...new Set([draft.timezone, zone.value, "UTC", ...Intl.supportedValuesOf("timeZone")])];
  return html`
    <div class="row">
      <${Field}
        label=${t("Date and time")}
        type="datetime-local"
        value=${draft.at}
        min=${wallTime(new Date(), draft.timezone)}
        onInput=${(/** @type {string} */ at) => change({ at })}
        hint=${zoneLabel(draft.timezone, draft.at ? resolve(draft.at, draft.timezone) : new Date())}
        error=${errorAt("/scheduledAt") ?? (draft.at ? clockNote(draft.at, draft.timezone) : undefined)}
      />
      <${Field}
        label=${t("Time zone")}
        options=${zones.map((name) => [name, name])}
        value=${draft.timezone}
        onInput=${(/** @type {string} */ timezone) => change({ timezone })}
      />
    </div>
  `;
}

/** @typedef {import("signalpost/api").Rows<"/queues">[0]} Queue */

/** @param {{draft: Draft, change: Change, queues: Queue[]}} props */
function NextSlot({ draft, change, queues }) {
  const queueId = draft.queueId || queues.find((queue) => queue.isDefault)?.id || queues[0]?.id || "";
  const slots = useLoad(
    async () => (queueId ? get(`/queues/${queueId}/slots`, { count: 1 }) : null),
    [queueId],
  );
  return html`
    <div class="row">
      ${queues.length > 1 && html`
        <${Field}
          label=${t("Slot queue")}
          options=${queues.map((queue) => [queue.id, queue.name])}
          value=${queueId}
          onInput=${(/** @type {string} */ value) => change({ queueId: value })}
        />
      `}
      <p>
        ${slots.data?.nextFreeAt ? html`
          ${t("Next free slot:")}${" "}
          <strong>
            <${Time} at=${slots.data.nextFreeAt} timeZone=${slots.data.timezone} />
          </strong>${" "}
          <span class="soft">${zoneLabel(slots.data.timezone, new Date(slots.data.nextFreeAt))}</span>
        ` : (
          t("No slot is free.")
        )}
      </p>
    </div>
  `;
}

/** @param {{draft: Draft, change: Change, errorAt: ErrorAt}} props */
export function More({ draft, change, errorAt }) {
  const filled = [draft.firstComment, draft.link, draft.tags, draft.title, draft.campaign].filter(
    Boolean,
  ).length;
  const field = (
    /** @type {"firstComment" | "link" | "tags" | "title" | "campaign"} */ name,
    /** @type {string} */ label,
    /** @type {any} */ more = {},
  ) => html`
    <${Field}
      label=${label}
      value=${draft[name]}
      error=${errorAt(`/${name}`)}
      onInput=${(/** @type {string} */ value) => change({ [name]: value })}
      ...${more}
    />
  `;
  return html`
    <details class="more" open=${filled > 0}>
      <summary>${t("More: first comment, link, tags, title")}</summary>
      ${field("firstComment", t("First comment"), {
        rows: 2,
        hint: t("Posted right after the post, where the network allows it."),
      })}
      ${field("link", t("Link"), { type: "url" })}
      <div class="row">
        ${field("tags", t("Tags"), {
          hint: t("Separated by commas; for finding posts here, never published."),
        })}
        ${field("campaign", t("Campaign"))}
      </div>
      ${field("title", t("Title"), { hint: t("For networks with titles, and for lists here.") })}
    </details>
  `;
}
