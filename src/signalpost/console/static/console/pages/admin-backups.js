// Backups that were made, and what runs: both answer "can we go back, and to what?".
import { html } from "../html.js";
import { ROOT, get } from "../api.js";
import { Icon } from "../icons.js";
import { number, t } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { useLive } from "../live.js";
import { Time, relative } from "../time.js";
import { Copy } from "../components/copy.js";
import { Loaded } from "../components/loaded.js";
import { Card } from "../components/page.js";
import { Table } from "../components/table.js";
import { size } from "../units.js";
import { duration } from "./admin-parts.js";

/** @typedef {import("signalpost/api").Schemas["AdminBackup"]} AdminBackup */
/** @typedef {import("signalpost/api").Schemas["AdminBackupList"]} AdminBackupList */
/** @typedef {import("signalpost/api").Schemas["BackupAge"]} BackupAge */
/** @typedef {import("signalpost/api").Schemas["System"]} System */

const QUERY = { limit: 100 }; // all that is kept
const SHOWN = 20;
const COMMAND = "signalpost backup FILE";
const LOOKS = () =>
  /** @type {Record<string, [string, string, string]>} */ ({
    succeeded: ["ok", "check", t("Succeeded")],
    failed: ["bad", "cross", t("Failed")],
    unfinished: ["warn", "question", t("Unfinished")],
  });

async function load() {
  const [system, backups] = await Promise.all([get("/admin/system"), get("/admin/backups", QUERY)]);
  return { system, backups };
}

export default function Backups() {
  const loaded = useLoad(load, []);
  useLive(loaded.reload, { seconds: 30 });
  return html`
    <${Loaded} loaded=${loaded} lines=${9}>
      ${(/** @type {typeof loaded.data} */ data) => html`
        <${Made} age=${data.system.backup} page=${data.backups} />
        <${Versions} system=${data.system} />
      `}
    <//>
  `;
}

/** How old the newest backup is, in words. @param {BackupAge} age */
function ageText(age) {
  if (age.madeAt === null)
    return age.tooOld
      ? t("There is no backup, and this installation is {age} old.", { age: duration(age.ageSeconds) })
      : t("No backup has been made yet.");
  return t("The newest backup was made {when}.", { when: relative(age.madeAt) });
}

/** @param {{age: BackupAge, page: AdminBackupList}} props */
function Made({ age, page }) {
  const [tone, icon] = age.tooOld ? ["warn", "warn"] : age.madeAt ? ["ok", "check"] : ["", "clock"];
  return html`
    <div class=${`notice ${tone}`} role="status">
      <${Icon} name=${icon} />
      <p>${ageText(age)}</p>
    </div>
    <${Card}
      title=${t("Backups")}
      actions=${
        html`<a href=${`${ROOT}/docs/guides/operate#backup`} target="_blank" rel="noopener">
          ${t("How to keep and restore them")}
        </a>`
      }
    >
      <p class="soft">
        ${t(
          "Type this on the machine of the service, which goes on meanwhile. Keep the file as safe as the service itself, and elsewhere.",
        )}
      </p>
      <div class="command">
        <pre tabindex="0">${COMMAND}</pre>
        <${Copy} text=${COMMAND} />
      </div>
      ${page.data.length > 0 ? html`
        <${History} page=${page} />
      ` : html`
        <p class="soft">
          ${t("Only backups made by this command are listed, and none of before a restore.")}
        </p>
      `}
    <//>
  `;
}

/** @param {{page: AdminBackupList}} props */
function History({ page }) {
  return html`
    <${Table}
      label=${t("Backups")}
      columns=${[t("File"), t("Begun"), t("State"), t("Contents"), t("Size")]}
      numbers=${[4]}
      atFirst=${SHOWN}
      cut=${page.hasMore}
      rows=${page.data.map((backup) => ({
        key: backup.id,
        cells: [
          html`<span>
            <code>${backup.fileName}</code>
            <br />
            <span class="soft small">${backup.host}</span>
          </span>`,
          html`<span class="nowrap">
            <${Time} at=${backup.startedAt} />
            <br />
            <span class="soft small">${relative(backup.startedAt)}</span>
          </span>`,
          html`<${State} backup=${backup} />`,
          backup.madeAt ? html`<${Contents} backup=${backup} />` : "–",
          backup.bytes === null ? "–" : html`<${Size} backup=${backup} />`,
        ],
      }))}
    />
  `;
}

/** @param {{backup: AdminBackup}} props */
function State({ backup }) {
  const [tone, icon, word] = LOOKS()[backup.status];
  const more = {
    succeeded: backup.verifiedAt
      ? t("verified {when}", { when: relative(backup.verifiedAt) })
      : t("not verified"),
    unfinished: t("It still runs, or was stopped."),
    failed: backup.error,
  }[/** @type {"succeeded"} */ (backup.status)];
  return html`
    <span>
      <span class=${`badge ${tone}`}>
        <${Icon} name=${icon} />
        ${word}
      </span>
      <br />
      <span class="soft small" lang=${backup.status === "failed" ? "en" : undefined}>
        ${more}
      </span>
    </span>
  `;
}

/** @param {{backup: AdminBackup}} props */
function Contents({ backup }) {
  const parts = [
    t("rows: {n}", { n: number(backup.rows ?? 0) }),
    backup.hasMedia ? t("files: {n}", { n: number(backup.files ?? 0) }) : t("no files"),
    Boolean(backup.missingFiles) && t("missing: {n}", { n: number(backup.missingFiles ?? 0) }),
    backup.hasMasterKey ? t("master key") : t("no master key"),
  ];
  return html`
    <span>
      ${parts.filter(Boolean).join(" · ")}
      <br />
      <span class="soft small">
        ${t("version {version}, schema {schema}", {
          version: backup.version,
          schema: backup.revision ?? "",
        })}
      </span>
    </span>
  `;
}

/** @param {{backup: AdminBackup}} props */
function Size({ backup }) {
  const ended = backup.endedAt ? new Date(backup.endedAt).getTime() : 0;
  const seconds = (ended - new Date(backup.startedAt).getTime()) / 1000;
  return html`
    <span class="nowrap">
      ${size(backup.bytes ?? 0)}
      ${backup.endedAt && html`
        <br />
        <span class="soft small">${t("in {time}", { time: duration(seconds) })}</span>
      `}
    </span>
  `;
}

/** @param {{system: System}} props */
function Versions({ system }) {
  return html`
    <div class="columns">
      <${Card} title=${t("Processes that run the engine")}>
        ${system.processes.length ? html`
          <${Table}
            label=${t("Processes that run the engine")}
            columns=${[t("Machine"), t("Started"), t("Last seen")]}
            rows=${system.processes.map((runningProcess) => ({
              key: runningProcess.id,
              cells: [
                runningProcess.host,
                html`<${Time} at=${runningProcess.startedAt} />`,
                html`<${Time} at=${runningProcess.lastSeenAt} kind="relative" />`,
              ],
            }))}
          />
        ` : html`
          <p class="bad">${t("No worker runs: nothing is published.")}</p>
        `}
      <//>
      <${Card} title=${t("Versions")}>
        <dl class="facts">
          <dt>Signalpost</dt>
          <dd>${system.version}</dd>
          <dt>${t("Schema")}</dt>
          <dd>
            ${system.revision},${" "}
            ${system.migrations === "current" ? (
              t("current")
            ) : html`
              <span class="warn">${t("waits for a migration")}</span>
            `}
          </dd>
          <dt>PostgreSQL</dt>
          <dd>${system.postgresql}</dd>
          <dt>Python</dt>
          <dd>${system.python}</dd>
          <dt>${t("Started")}</dt>
          <dd>
            <${Time} at=${system.startedAt} />
          </dd>
        </dl>
      <//>
    </div>
  `;
}
