// The rows: what each becomes, what is wrong with it where it can be fixed, and how making them goes.
import { html, useState } from "../html.js";
import { number, t, tn } from "../i18n.js";
import { saveCsv } from "../csv-write.js";
import { to } from "../router.js";
import { networkName } from "../store.js";
import { dateTime } from "../time.js";
import { resolve } from "../zones.js";
import { Button, LinkButton } from "../components/button.js";
import { Field } from "../components/field.js";
import { Icon } from "../icons.js";
import { ProblemBox } from "../components/problem-box.js";
import { COLUMNS } from "./import-columns.js";
import { STATE_WORDS } from "./import-model.js";
import { bodyOf, fieldName } from "./import-rows.js";

/** @typedef {import("./import-model.js").Import} Import */
/** @typedef {import("./import-model.js").Kept} Kept */
/** @typedef {import("./import-model.js").Row} Row */
/** @typedef {import("./import-model.js").State} State */

const PAGE = 25;
const LOOKS = /** @type {Record<State, [string, string]>} */ ({
  new: ["neutral", "clock"],
  refused: ["bad", "cross"],
  ready: ["info", "check"],
  created: ["ok", "check"],
  there: ["neutral", "link"],
});

/** @param {{model: Import}} props */
export default function Rows({ model }) {
  const [stateFilter, setStateFilter] = useState(/** @type {State | ""} */ (""));
  const [page, setPage] = useState(0);
  model.watch();
  const { rows, state } = model;
  if (!state) return null;
  const counts = countsOf(rows);
  const chosen = stateFilter ? rows.filter((row) => row.state === stateFilter) : rows;
  const last = Math.max(0, Math.ceil(chosen.length / PAGE) - 1);
  const at = Math.min(page, last);
  const show = (/** @type {State | ""} */ value) => {
    setStateFilter(value);
    setPage(0);
  };
  return html`
    ${model.problem && html`<${ProblemBox} problem=${model.problem} onRetry=${() => goOn(model)} />`}
    <${Summary} model=${model} counts=${counts} />
    <${States} counts=${counts} total=${rows.length} stateFilter=${stateFilter} show=${show} />
    <ol class="import-rows">
      ${chosen.slice(at * PAGE, (at + 1) * PAGE).map((row) => html`
        <${RowItem} key=${row.index} row=${row} model=${model} state=${state} />
      `)}
    </ol>
    ${last > 0 && html`<${Pages} at=${at} last=${last} go=${setPage} />`}
  `;
}

/** After a problem: what was under way is asked for again. @param {Import} model */
const goOn = (model) =>
  void model.run(model.rows.some((row) => row.state === "ready") ? "create" : "check");

/** @param {Row[]} rows */
function countsOf(rows) {
  const counts = /** @type {Record<State, number>} */ ({
    new: 0,
    refused: 0,
    ready: 0,
    created: 0,
    there: 0,
  });
  for (const row of rows) counts[row.state] += 1;
  return counts;
}

/** @param {{model: Import, counts: Record<State, number>}} props */
function Summary({ model, counts }) {
  model.watch();
  const { running, progress } = model;
  if (running && progress) return html`<${Running} model=${model} />`;
  const isOver = !counts.ready && !counts.new;
  return html`
    <div class="selection" role="region" aria-label=${t("What can be done")}>
      ${counts.ready > 0 && html`
        <${Button} kind="primary" icon="check" onClick=${() => model.run("create")}>
          ${tn(counts.ready, "Create {n} post", "Create {n} posts")}
        <//>
      `}
      <span class="grow" role="status">
        ${[
          counts.created > 0 && tn(counts.created, "{n} post was created.", "{n} posts were created."),
          counts.refused > 0 &&
            tn(counts.refused, "{n} row has to be fixed.", "{n} rows have to be fixed."),
          counts.there > 0 &&
            tn(counts.there, "{n} row was imported before.", "{n} rows were imported before."),
        ]
          .filter(Boolean)
          .join(" ")}
      </span>
      ${isOver && counts.created > 0 && html`
        <${LinkButton} href=${to("calendar")} icon="calendar">
          ${t("See the calendar")}
        <//>
        <${Button} onClick=${() => model.discard()}>${t("Done")}<//>
      `}
      ${counts.refused > 0 && html`
        <${Button} icon="copy" onClick=${() => saveRefused(model)}>
          ${t("Save the rows to fix")}
        <//>
      `}
      ${counts.there > 0 && html`
        <${Button} onClick=${() => model.repeat()}>${t("Import them once more")}<//>
      `}
      ${!counts.created && html`
        <${Button} kind="quiet" icon="back" onClick=${() => model.change({ step: "columns" })}>
          ${t("Columns")}
        <//>
      `}
    </div>
  `;
}

/** @param {{model: Import}} props */
function Running({ model }) {
  model.watch();
  const { running, progress } = model;
  if (!progress) return null;
  const { done, total, perSecond, secondsLeft, waiting } = progress;
  const left =
    secondsLeft > 90
      ? tn(Math.ceil(secondsLeft / 60), "about {n} minute left", "about {n} minutes left")
      : tn(Math.ceil(secondsLeft), "about {n} second left", "about {n} seconds left");
  return html`
    <div class="selection" role="region" aria-label=${t("Progress")}>
      <strong>${running === "check" ? t("Checking") : t("Creating")}</strong>
      <progress class="grow" max=${total} value=${done} aria-label=${t("Progress")} />
      <span>
        ${t("{done} of {total}", { done: number(done), total: number(total) })}
        ${waiting ? ` · ${t("the service asks to wait a moment")}` : ""}
        ${!waiting && done > 0 && done < total
          ? ` · ${tn(Math.max(1, Math.round(perSecond)), "{n} row a second", "{n} rows a second")} · ${left}`
          : ""}
      </span>
      <${Button} icon="pause" onClick=${() => model.aborter.abort()}>
        ${t("Stop")}
      <//>
    </div>
  `;
}

/**
 * @param {{
 *   counts: Record<State, number>, total: number, stateFilter: State | "", show: (state: State | "") => void
 * }} props
 */
function States({ counts, total, stateFilter, show }) {
  const words = STATE_WORDS();
  const choices = /** @type {[State | "", string, number][]} */ ([
    ["", t("All"), total],
    .../** @type {State[]} */ (Object.keys(words)).map((key) => [key, words[key], counts[key]]),
  ]);
  return html`
    <div class="segmented" role="group" aria-label=${t("Rows")}>
      ${choices
        .filter(([key, , count]) => !key || count > 0)
        .map(([key, name, count]) => html`
          <${Button}
            kind="quiet"
            key=${key}
            aria-pressed=${key === stateFilter ? "true" : "false"}
            onClick=${() => show(key)}
          >
            ${name} ${number(count)}
          <//>
        `)}
    </div>
  `;
}

/** @param {{at: number, last: number, go: (page: number) => void}} props */
const Pages = ({ at, last, go }) => html`
  <p class="actions">
    <${Button}
      icon="back"
      aria-label=${t("Earlier")}
      aria-disabled=${at ? undefined : "true"}
      onClick=${() => go(Math.max(0, at - 1))}
    />
    <span role="status">${t("Page {n} of {total}", { n: number(at + 1), total: number(last + 1) })}</span>
    <${Button}
      icon="next"
      aria-label=${t("Later")}
      aria-disabled=${at < last ? undefined : "true"}
      onClick=${() => go(Math.min(last, at + 1))}
    />
  </p>
`;

/** @param {{row: Row, model: Import, state: Kept}} props */
function RowItem({ row, model, state }) {
  const [isOpen, setOpen] = useState(false);
  model.watch();
  const [tone, icon] = LOOKS[row.state];
  const isMade = Boolean(row.postId);
  const canEdit = !isMade && model.running !== "create";
  const isForm = canEdit && (isOpen || row.remarks.length > 0);
  return html`
    <li class="import-row" aria-label=${t("Row of line {line}", { line: row.line })}>
      <div class="import-head">
        <span class="soft">${number(row.line)}</span>
        <span class=${`badge ${tone}`}>
          <${Icon} name=${icon} />
          ${STATE_WORDS()[row.state]}
        </span>
        <span class="clip grow" dir="auto">
          ${row.cells.title || row.cells.text || row.cells.media || t("empty")}
        </span>
        <${Facts} cells=${row.cells} state=${state} />
        ${isMade && html`<a href=${to(`posts/${row.postId}`)}>${t("Open the post")}</a>`}
        ${canEdit && !row.remarks.length && html`
          <${Button}
            kind="quiet"
            icon="compose"
            aria-expanded=${String(isOpen)}
            aria-label=${t("Change the row of line {line}", { line: row.line })}
            onClick=${() => setOpen(!isOpen)}
          />
        `}
      </div>
      ${row.notes.map((note) => html`
        <p class="soft small">${note}</p>
      `)}
      ${isForm && html`
        <${RowForm} row=${row} model=${model} state=${state} onTouch=${() => setOpen(true)} />
      `}
    </li>
  `;
}

/** When and where it goes. @param {{cells: Row["cells"], state: Kept}} props */
function Facts({ cells, state }) {
  const { body, profile } = bodyOf(cells, state.meaning.choices);
  const { scheduledAt, timezone, publishMode, platforms } = /** @type {Record<string, string>} */ (body);
  const isWall = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(scheduledAt ?? "");
  const when = isWall ? whenOf(scheduledAt, timezone) : publishMode === "slot" ? t("next free slot") : "";
  const networks = Array.isArray(platforms) ? platforms.map(networkName).join(", ") : "";
  const parts = [profile?.name, networks, when, !publishMode && t("Draft")];
  return html`<span class="soft small">${parts.filter(Boolean).join(" · ")}</span>`;
}

/** @param {string} wall @param {string} zone */
function whenOf(wall, zone) {
  try {
    return dateTime(resolve(wall, zone), zone);
  } catch {
    return wall; // the browser does not know the zone; the service says so at its field
  }
}

/** @param {{row: Row, model: Import, state: Kept, onTouch: () => void}} props */
function RowForm({ row, model, state, onTouch }) {
  model.watch();
  const names = COLUMNS();
  const columns = state.meaning.columns.filter(Boolean);
  const wrong = row.remarks.map(({ field }) => field).filter((field) => field && field in names);
  const fields = [...new Set([...columns, ...wrong])];
  const elsewhere = row.remarks.filter(
    ({ field }) => !fields.includes(/** @type {typeof fields[0]} */ (field)),
  );
  return html`
    ${elsewhere.map(({ message }) => html`
      <p class="error">${message}</p>
    `)}
    <div class="import-form">
      ${fields.map((field) => html`
        <${Field}
          key=${field}
          label=${fieldName(field, names)}
          rows=${field === "text" ? 3 : undefined}
          dir="auto"
          value=${row.cells[field] ?? ""}
          error=${row.remarks.find((remark) => remark.field === field)?.message}
          onInput=${(/** @type {string} */ value) => {
            onTouch();
            model.edit(row, field, value);
          }}
        />
      `)}
    </div>
  `;
}

/** @param {Import} model */
function saveRefused({ rows, source, state }) {
  if (!source || !state) return;
  const names = COLUMNS();
  const header = state.meaning.columns.map(
    (column, index) => (state.meaning.hasHeader && source.records[0][index]) || fieldName(column, names),
  );
  const refused = rows.filter((row) => row.state === "refused");
  saveCsv("rows-to-fix.csv", [
    [...header, t("Line"), t("What is wrong")],
    ...refused.map((row) => [
      ...source.records[row.index],
      ...Array.from({ length: Math.max(0, header.length - source.records[row.index].length) }, () => ""),
      row.line,
      row.remarks.map(({ message }) => message).join(" "),
    ]),
  ]);
}
