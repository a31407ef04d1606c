// At which time a post is published, on the clocks of its zone.
import { html } from "../html.js";
import { workspaceZone } from "../store.js";
import { t } from "../i18n.js";
import { wallTime, zoneLabel } from "../time.js";
import { clockNote, resolve } from "../zones.js";
import { Field } from "../components/field.js";

/** @typedef {import("../draft.js").Change} Change */
/** @typedef {import("../draft.js").ErrorAt} ErrorAt */
/** @typedef {import("../draft.js").Draft} Draft */

/** @param {{draft: Draft, change: Change, errorAt: ErrorAt}} props */
export default function AtTime({ draft, change, errorAt }) {
  const zones = [
    ...new Set([draft.timezone, workspaceZone.value, "UTC", ...Intl.supportedValuesOf("timeZone")]),
  ];
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
