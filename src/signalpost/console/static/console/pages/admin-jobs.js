// Work in the background: what is kept back for a while, and jobs that wait, run or failed; both can be set
// off again.
import { html } from "../html.js";
import { get, post, remove } from "../api.js";
import { Icon } from "../icons.js";
import { number, t } from "../i18n.js";
import { useAction, useLoad } from "../hooks.js";
import { useLive } from "../live.js";
import { filter } from "../router.js";
import { networkName } from "../store.js";
import { Time } from "../time.js";
import { Button } from "../components/button.js";
import { Field } from "../components/field.js";
import { Skeleton } from "../components/loaded.js";
import { Card } from "../components/page.js";
import { toast } from "../components/toasts.js";
import { List } from "./admin-list.js";

/** @typedef {import("signalpost/api").Schemas["AdminJob"]} AdminJob */
/** @typedef {import("signalpost/api").Schemas["Pause"]} Pause */

const LOOKS = () =>
  /** @type {Record<string, [string, string, string]>} */ ({
    waiting: ["info", "clock", t("Waiting")],
    running: ["info", "dot", t("Running")],
    failed: ["bad", "cross", t("Failed")],
  });
const KINDS = () =>
  /** @type {Record<string, string>} */ ({
    network: t("App at a network"),
    account: t("Account"),
    webhook: t("Webhook"),
    jobs: t("Queue of jobs"),
  });

/** @typedef {ReturnType<typeof useLoad<any>>} Load */
const PAUSES = { limit: 50 };

/**
 * Both lists appear together, so that neither pushes the other away.
 * @param {{query: Record<string, string>}} props
 */
export default function Work({ query: { state = "" } }) {
  const query = { state, limit: 50 };
  const pauses = useLoad(() => get("/admin/pauses", PAUSES), []);
  const jobs = useLoad(() => get("/admin/jobs", query), [state]);
  useLive(pauses.reload, { seconds: 15 });
  const isComing = (/** @type {Load} */ loaded) => loaded.data === undefined && !loaded.problem;
  if (isComing(pauses) || isComing(jobs)) return html`<${Skeleton} lines=${9} />`;
  return html`
    <${Pauses} loaded=${pauses} />
    <${Jobs} loaded=${jobs} query=${query} />
  `;
}

/** @param {{loaded: Load}} props */
function Pauses({ loaded }) {
  return html`
    <${Card} title=${t("Kept back for a while")}>
      <p class="soft">
        ${t("A network asked to wait, or something unexpected failed. All of it goes on by itself.")}
      </p>
      ${loaded.data && !loaded.data.data.length ? html`
        <p>
          <${Icon} name="check" /> ${t("Nothing is kept back.")}
        </p>
      ` : html`
        <${List}
          loaded=${loaded}
          path="/admin/pauses"
          query=${PAUSES}
          label=${t("Kept back for a while")}
          columns=${[t("Kind"), t("Subject"), t("Workspace"), t("Goes on"), ""]}
          empty=""
          row=${(/** @type {Pause} */ pause) => ({
            key: pause.id,
            cells: [
              html`
                ${KINDS()[pause.kind]}
                ${pause.platform && html`
                  <br />
                  <span class="soft small">${networkName(pause.platform)}</span>
                `}
              `,
              html`<code>${pause.subject}</code>`,
              pause.workspaceId ? html`<code>${pause.workspaceId}</code>` : "–",
              html`<${Time} at=${pause.until} kind="relative" />`,
              html`<${End} pause=${pause} onDone=${loaded.reload} />`,
            ],
          })}
        />
      `}
    <//>
  `;
}

/** @param {{pause: Pause, onDone: () => Promise<void>}} props */
function End({ pause, onDone }) {
  const [busy, end] = useAction(async () => {
    await remove(`/admin/pauses/${pause.id}`);
    toast(t("It goes on now."));
    await onDone();
  });
  return html`
    <${Button}
      busy=${busy}
      aria-label=${t("Go on now: {name}", { name: pause.subject })}
      onClick=${end}
    >
      ${t("Go on now")}
    <//>
  `;
}

/** @param {{loaded: Load, query: {state: string, limit: number}}} props */
function Jobs({ loaded, query }) {
  return html`
    <${Card}
      title=${t("Jobs")}
      actions=${
        html`<${Button} kind="quiet" icon="retry" busy=${loaded.loading} onClick=${loaded.reload}>
          ${t("Refresh")}
        <//>`
      }
    >
      <div class="row filters short">
        <${Field}
          label=${t("State")}
          value=${query.state}
          options=${[
            ["", t("All states")],
            ...Object.entries(LOOKS()).map(([key, [, , word]]) => [key, word]),
          ]}
          onInput=${(/** @type {string} */ value) => filter({ state: value })}
        />
      </div>
      <${List}
        loaded=${loaded}
        path="/admin/jobs"
        query=${query}
        label=${t("Jobs")}
        columns=${[t("Job"), t("State"), t("Tries"), t("Due"), t("What went wrong"), ""]}
        numbers=${[2]}
        empty=${t("Jobs that succeeded are not kept.")}
        row=${(/** @type {AdminJob} */ job) => ({
          key: job.id,
          cells: [
            html`<span>
              <code>${job.kind}</code>
              ${job.workspaceId && html`
                <br />
                <code class="soft small">${job.workspaceId}</code>
              `}
            </span>`,
            html`<${State} state=${job.state} />`,
            number(job.attempts),
            html`<${Time} at=${job.failedAt ?? job.runAt} kind="relative" />`,
            html`<span class="clip" lang="en">
              ${job.error ?? "–"}
            </span>`,
            job.state !== "running" && html`<${Run} job=${job} onDone=${loaded.reload} />`,
          ],
        })}
      />
    <//>
  `;
}

/** @param {{state: string}} props */
function State({ state }) {
  const [tone, icon, word] = LOOKS()[state];
  return html`
    <span class=${`badge ${tone}`}>
      <${Icon} name=${icon} />
      ${word}
    </span>
  `;
}

/** @param {{job: AdminJob, onDone: () => Promise<void>}} props */
function Run({ job, onDone }) {
  const [busy, run] = useAction(async () => {
    await post(`/admin/jobs/${job.id}/run`);
    toast(t("It runs as soon as a worker is free."));
    await onDone();
  });
  const words = job.state === "failed" ? t("Run again") : t("Run now");
  return html`
    <${Button} busy=${busy} aria-label=${`${words}: ${job.kind}`} onClick=${run}>
      ${words}
    <//>
  `;
}
