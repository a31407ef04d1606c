// What the columns mean, with examples, and what holds for the whole file.
import { html } from "../html.js";
import { t } from "../i18n.js";
import { accounts, may, networkName, profiles } from "../store.js";
import { Button } from "../components/button.js";
import { CheckList } from "../components/check-list.js";
import { Check, Field } from "../components/field.js";
import { Card } from "../components/page.js";
import { profileOptions } from "../components/profile-field.js";
import { COLUMNS, sourceOf } from "./import-columns.js";
import { fieldName, wallOf } from "./import-rows.js";

/** @typedef {import("./import-model.js").Import} Import */
/** @typedef {import("./import-model.js").Source} Source */
/** @typedef {import("./import-model.js").Meaning} Meaning */

const SHOWN = 60;

/** @param {{model: Import}} props */
export default function MeaningStep({ model }) {
  model.watch();
  const { source, state } = model;
  if (!source || !state) return null;
  const { columns } = state.meaning;
  const service = sourceOf(source.records[0]);
  const missing =
    columns.includes("text") || columns.includes("media") ? "" : t("Say which column is the text.");
  return html`
    ${source.notes.map((note) => html`
      <p class="notice warn">${note}</p>
    `)}
    ${service && html`
      <p class="notice ok">${t("This looks like a table of {service}.", { service })}</p>
    `}
    <${Columns} model=${model} source=${source} meaning=${state.meaning} />
    <${Whole} model=${model} source=${source} meaning=${state.meaning} />
    <p class="actions">
      <${Button}
        kind="primary"
        aria-disabled=${missing ? "true" : undefined}
        onClick=${() => !missing && model.check()}
      >
        ${t("Check the rows")}
      <//>
      ${missing && html`
        <span class="warn" role="status">
          ${missing}
        </span>
      `}
    </p>
  `;
}

/** @param {{model: Import, source: Source, meaning: Meaning}} props */
function Columns({ model, source, meaning }) {
  const { columns, hasHeader } = meaning;
  const names = COLUMNS();
  const extra = columns.filter((column) => column.startsWith("on:"));
  const options = [...Object.entries(names), ...extra.map((column) => [column, fieldName(column, names)])];
  const example = source.records[hasHeader ? 1 : 0] ?? [];
  const set = (/** @type {number} */ index) => (/** @type {string} */ value) =>
    model.redefine({
      columns: columns.map((column, at) =>
        at === index
          ? /** @type {Meaning["columns"][0]} */ (value)
          : column === value && value !== "media"
            ? ""
            : column,
      ),
    });
  return html`
    <${Card} title=${t("Columns")}>
      <${Check}
        label=${t("The first row names the columns")}
        checked=${hasHeader}
        onChange=${(/** @type {boolean} */ isOn) => model.redefine({ hasHeader: isOn })}
      />
      <div class="import-columns">
        ${columns.map((column, index) => html`
          <${Field}
            key=${index}
            label=${(hasHeader && source.records[0][index]?.trim()) || t("Column {n}", { n: index + 1 })}
            options=${options}
            value=${column}
            onInput=${set(index)}
            hint=${example[index] ? clipped(example[index]) : t("empty")}
          />
        `)}
      </div>
    <//>
  `;
}

/** @param {string} text */
const clipped = (text) => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);

/**
 * The networks of all clients, or of the one that is chosen.
 * @param {string} profileId
 * @returns {[string, string][]}
 */
const networksOf = (profileId) =>
  [
    ...new Set(
      (accounts.value ?? [])
        .filter((account) => !profileId || account.profileId === profileId)
        .map((account) => /** @type {string} */ (account.platform)),
    ),
  ]
    .sort()
    .map((key) => [key, networkName(key)]);

/** @param {{model: Import, source: Source, meaning: Meaning}} props */
function Whole({ model, source, meaning }) {
  const { columns, choices, hasHeader } = meaning;
  const hasClient = columns.includes("client");
  const hasNetworks = columns.includes("networks") || columns.some((column) => column.startsWith("on:"));
  const networks = networksOf(choices.profileId);
  const mayPublish = may("posts:publish");
  return html`
    <${Card} title=${t("For the whole file")}>
      ${(profiles.value?.length ?? 0) > 1 && html`
        <${Field}
          label=${hasClient ? t("Client of rows that name none") : t("Client")}
          options=${[["", t("Choose…")], ...profileOptions()]}
          value=${choices.profileId}
          onInput=${(/** @type {string} */ profileId) => model.choices({ profileId, networks: [] })}
        />
      `}
      <fieldset>
        <legend class="legend">${hasNetworks ? t("Networks of rows that name none") : t("Networks")}</legend>
        ${networks.length ? html`
          <${CheckList}
            options=${networks}
            value=${choices.networks}
            onInput=${(/** @type {string[]} */ chosen) => model.choices({ networks: chosen })}
          />
        ` : html`
          <p class="soft">${t("No account is connected: the rows can become drafts.")}</p>
        `}
      </fieldset>
      <${Times} model=${model} source=${source} meaning=${meaning} />
      <${Check}
        label=${t("Keep all of them as drafts")}
        hint=${t("Times are kept too; nothing is published before someone schedules it.")}
        checked=${choices.areDrafts || !mayPublish}
        disabled=${!mayPublish}
        onChange=${(/** @type {boolean} */ areDrafts) => model.choices({ areDrafts })}
      />
      ${!choices.areDrafts && mayPublish && html`
        <${Field}
          label=${t("Rows without a date")}
          options=${[
            ["draft", t("become drafts")],
            ["slot", t("get the next free slots of the queue, in their order")],
          ]}
          value=${choices.withoutTime}
          onInput=${(/** @type {"draft" | "slot"} */ withoutTime) => model.choices({ withoutTime })}
        />
      `}
      ${hasHeader && source.records.length < 2 && html`
        <p class="notice warn">${t("There is no row below the names of the columns.")}</p>
      `}
    <//>
  `;
}

/** @param {{model: Import, source: Source, meaning: Meaning}} props */
function Times({ model, source, meaning: { columns, choices, hasHeader } }) {
  const at = columns.indexOf("date");
  if (at < 0) return null;
  const dates = source.records.slice(hasHeader ? 1 : 0).map((record) => record[at] ?? "");
  const open = dates.find(
    (date) => wallOf(date, true) !== wallOf(date, false) && wallOf(date, true) && wallOf(date, false),
  );
  return html`
    ${open && html`
      <${Field}
        label=${t("What {date} means", { date: open.trim().slice(0, 20) })}
        options=${[
          ["day", t("Day first: {date}", { date: wallOf(open, true).slice(0, 10) })],
          ["month", t("Month first: {date}", { date: wallOf(open, false).slice(0, 10) })],
        ]}
        value=${choices.isDayFirst ? "day" : "month"}
        onInput=${(/** @type {string} */ value) => model.choices({ isDayFirst: value === "day" })}
      />
    `}
    <${Field}
      label=${t("Time zone")}
      hint=${t("Empty: that of each client.")}
      value=${choices.timezone}
      list="import-zones"
      onInput=${(/** @type {string} */ timezone) => model.choices({ timezone: timezone.trim() })}
    />
    <datalist id="import-zones">
      ${Intl.supportedValuesOf("timeZone").map((name) => html`
        <option value=${name} />
      `)}
    </datalist>
  `;
}
