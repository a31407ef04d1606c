// The installation, for those who run it: figures and health here; the queue, jobs, people, flags and the
// status page in views of
// their own, which are loaded when they are opened.
import { html, useState } from "../html.js";
import { get, post } from "../api.js";
import { Bar } from "../charts.js";
import { Icon } from "../icons.js";
import { locale, number, t } from "../i18n.js";
import { useLive } from "../live.js";
import { to as pathTo } from "../router.js";
import { loadPlatforms, may, networkName } from "../store.js";
import { useAction, useLoad } from "../hooks.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Empty } from "../components/empty.js";
import { Field } from "../components/field.js";
import { lazy } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { NetworkLogo } from "../components/network-logo.js";
import { Card, Page } from "../components/page.js";
import { ProblemBox } from "../components/problem-box.js";
import { Tabs } from "../components/tabs.js";
import { toast } from "../components/toasts.js";
import { size } from "../units.js";
import { duration } from "./admin-parts.js";

/** @typedef {import("signalpost/api").Schemas["Stats"]} Stats */
/** @typedef {import("signalpost/api").Schemas["ApiHealth"]} ApiHealth */

const Directory = lazy(() => import("./admin-directory.js"));
const VIEWS = /** @type {Record<string, unknown>} */ ({
  queue: lazy(() => import("./admin-queue.js")),
  jobs: lazy(() => import("./admin-jobs.js")),
  workspaces: Directory,
  users: Directory,
  flags: lazy(() => import("./admin-flags.js")),
  status: lazy(() => import("./admin-status.js")),
  payments: lazy(() => import("./admin-payments.js")),
  backups: lazy(() => import("./admin-backups.js")),
});

/** @param {{id: string, query: Record<string, string>}} props */
export default function Admin({ id, query }) {
  if (!may("instance:admin"))
    return html`
      <${Page} title=${t("Administration")}>
        <${Empty} title=${t("Only staff of this installation see this")} icon="admin">
          ${t("An operator adds staff with: signalpost staff add")}
        <//>
      <//>
    `;
  const View = VIEWS[id] ?? Overview;
  return html`
    <${Page} title=${t("Administration")} subtitle=${t("All workspaces of this installation")}>
      <${Tabs}
        label=${t("Administration")}
        path="admin"
        current=${VIEWS[id] ? id : ""}
        tabs=${[
          ["", t("Overview")],
          ["queue", t("Queue")],
          ["jobs", t("Jobs")],
          ["workspaces", t("Workspaces")],
          ["users", t("Users")],
          ["flags", t("Flags")],
          ["status", t("Status page")],
          ["payments", t("Payments")],
          ["backups", t("Backups")],
        ]}
      />
      <${View} key=${id} id=${id} query=${query} />
    <//>
  `;
}

async function load() {
  const [stats, health, database] = await Promise.all([
    get("/admin/stats"),
    get("/healthz/api"),
    get("/healthz/datastore").catch((problem) => ({ problem })),
    loadPlatforms(),
  ]);
  return { stats, health, database };
}

function Overview() {
  const loaded = useLoad(load, []);
  useLive(loaded.reload, { seconds: 15 });
  return html`
    <${Loaded} loaded=${loaded} lines=${9}>
      ${(/** @type {typeof loaded.data} */ data) => html`
        <${Health} health=${data.health} />
        <${Figures} stats=${data.stats} />
        <div class="columns">
          <${Networks} rates=${data.stats.successRate24h} accounts=${data.stats.accounts} />
          <${Running} data=${data} />
        </div>
        <${OperatorTools} />
      `}
    <//>
  `;
}

/** @param {{health: any}} props */
function Health({ health }) {
  if (health.status === "ok")
    return html`
      <div class="notice ok" role="status">
        <${Icon} name="check" />
        <p>${t("The service works, and its work is done on time.")}</p>
      </div>
    `;
  return html`
    <div class="notice bad" role="status">
      <${Icon} name="warn" />
      <div>
        <p>
          <strong>${t("Something is late or broken:")}</strong>
        </p>
        <ul>
          ${health.reasons.map((/** @type {string} */ reason) => html`
            <li>${reason}</li>
          `)}
        </ul>
      </div>
    </div>
  `;
}

/** @param {{stats: Stats}} props */
function Figures({ stats }) {
  const about = (/** @type {string} */ name, /** @type {number} */ value) =>
    stats.estimated.includes(name) ? t("about {n}", { n: number(value) }) : number(value);
  const rows = [
    [t("Workspaces"), about("workspaces", stats.workspaces)],
    [t("Users"), about("users", stats.users)],
    [t("Clients"), about("profiles", stats.profiles)],
    [t("Accounts"), about("accounts", stats.accounts.total)],
    [t("Posts"), about("posts", stats.posts.total)],
    [t("Posts in 24 hours"), number(stats.posts.last24h)],
    [t("Stored files"), size(stats.storageBytes)],
    [t("Deliveries waiting"), number(stats.webhooks.pending)],
  ];
  const byName = (/** @type {Record<string, number>} */ sums) =>
    Object.entries(sums)
      .sort(([, a], [, b]) => b - a)
      .map(([key, value]) => html`
        <dt>${key.replaceAll("_", " ")}</dt>
        <dd>${number(value)}</dd>
      `);
  return html`
    <dl class="figures four">
      ${rows.map(([name, value]) => html`
        <div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>
      `)}
    </dl>
    <div class="columns">
      <${Card} title=${t("Posts by state")}>
        <dl class="facts">${byName(stats.posts.byStatus)}</dl>
      <//>
      <${Card} title=${t("Accounts by state")}>
        <dl class="facts">
          ${byName(stats.accounts.byStatus)}
          <dt>${t("Deliveries given up in 24 hours")}</dt>
          <dd>${number(stats.webhooks.failed24h)}</dd>
          <dt>${t("Differences in payments")}</dt>
          <dd>
            ${stats.paymentDifferences > 0 ? html`
              <a class="warn" href=${pathTo("admin/payments")}>
                ${number(stats.paymentDifferences)}
              </a>
            ` : (
              number(0)
            )}
          </dd>
        </dl>
      <//>
    </div>
  `;
}

const GOOD = 0.95;
const POOR = 0.8;

/** @param {{rates: Stats["successRate24h"], accounts: Stats["accounts"]}} props */
function Networks({ rates, accounts }) {
  const percent = (/** @type {number} */ share) =>
    new Intl.NumberFormat(locale(), { style: "percent", maximumFractionDigits: 1 }).format(share);
  const names = [...new Set([...Object.keys(rates), ...Object.keys(accounts.byPlatform)])].sort(
    (a, b) => (rates[a] ?? 2) - (rates[b] ?? 2),
  );
  return html`
    <${Card} title=${t("Networks, last 24 hours")}>
      ${names.length ? html`
        <ul class="list">
          ${names.map((key) => html`
            <li key=${key} class="use">
              <${NetworkLogo} platform=${key} />
              <strong class="grow">${networkName(key)}</strong>
              <span class="soft">${t("accounts: {n}", { n: number(accounts.byPlatform[key] ?? 0) })}</span>
              <span>
                ${rates[key] === undefined ? html`
                  <span class="soft">${t("nothing ended")}</span>
                ` : (
                  t("{share} published", { share: percent(rates[key]) })
                )}
              </span>
              ${rates[key] !== undefined && html`
                <${Bar}
                  share=${rates[key]}
                  tone=${rates[key] >= GOOD ? "" : rates[key] >= POOR ? "warn" : "bad"}
                />
              `}
            </li>
          `)}
        </ul>
      ` : html`
        <p class="soft">${t("No account is connected.")}</p>
      `}
    <//>
  `;
}

/** @param {{data: any}} props */
function Running({ data }) {
  const { stats, health, database } = data;
  return html`
    <${Card} title=${t("What runs")}>
      <dl class="facts">
        <dt>${t("Version")}</dt>
        <dd>${stats.version}</dd>
        <dt>${t("Running for")}</dt>
        <dd>${duration(stats.uptimeSeconds)}</dd>
        <dt>${t("Engine")}</dt>
        <dd>${health.worker.running ? t("works") : t("does not run")}</dd>
        <dt>${t("Overdue")}</dt>
        <dd>${health.worker.overdue === null ? t("not known") : number(health.worker.overdue)}</dd>
        ${database.problem ? html`
          <dt>${t("Database")}</dt>
          <dd class="bad">${database.problem.message}</dd>
        ` : html`
          <dt>${t("Database")}</dt>
          <dd>${database.engine}</dd>
          <dt>${t("Its answer took")}</dt>
          <dd>${number(database.latencyMs)} ms</dd>
          <dt>${t("Schema")}</dt>
          <dd>
            ${database.migrations === "current" ? (
              t("current")
            ) : html`
              <span class="warn">${t("waits for a migration")}</span>
            `}
          </dd>
        `}
      </dl>
    <//>
  `;
}

function OperatorTools() {
  const [isMailing, setMailing] = useState(false);
  const [busy, collect] = useAction(async () => {
    const { accepted } = await post("/admin/sync-metrics", {});
    toast(t("Numbers to collect: {n}", { n: number(accepted) }));
  });
  return html`
    <${Card} title=${t("Tools")}>
      <ul class="list">
        <li>
          <span class="grow">
            <strong>${t("Does mail work?")}</strong>
            <br />
            <span class="soft">
              ${t("Sends the mail that new users get, to you or to another address.")}
            </span>
          </span>
          <${Button} onClick=${() => setMailing(true)}>${t("Send a test mail")}<//>
        </li>
        <li>
          <span class="grow">
            <strong>${t("Numbers of posts")}</strong>
            <br />
            <span class="soft">
              ${t("Has all numbers collected that are due, as the engine does every ten minutes.")}
            </span>
          </span>
          <${Button} busy=${busy} onClick=${collect}>
            ${t("Collect now")}
          <//>
        </li>
      </ul>
    <//>
    ${isMailing && html`<${TestMail} onClose=${() => setMailing(false)} />`}
  `;
}

/** @param {{onClose: () => void}} props */
function TestMail({ onClose }) {
  const [to, setTo] = useState("");
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const [result, setResult] = useState(/** @type {any} */ (null));
  const [busy, send] = useAction(async () => {
    setProblem(null);
    await post("/admin/email/test-welcome", { to: to || null }).then(setResult, setProblem);
  });
  if (result)
    return html`
      <${Dialog}
        title=${result.sent ? t("The mail was sent") : t("The mail was not sent")}
        onClose=${onClose}
        actions=${
          html`<${Button} kind="primary" onClick=${onClose}>
            ${t("Done")}
          <//>`
        }
      >
        ${result.error && html`
          <div class="notice bad">
            <${Icon} name="warn" />
            <p>${result.error}</p>
          </div>
        `}
        ${result.transport === "none" && html`
          <div class="notice warn">
            <${Icon} name="warn" />
            <p>
              ${t(
                "No mail server is set; mails are kept here, and an operator reads them with: signalpost mail",
              )}
            </p>
          </div>
        `}
        <p>
          <strong>${result.preview.subject}</strong>
        </p>
        <pre tabindex="0">${result.preview.text}</pre>
      <//>
    `;
  return html`
    <${Dialog}
      title=${t("Send a test mail")}
      onClose=${onClose}
      onSubmit=${send}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Cancel")}<//>
          <${Button} kind="primary" type="submit" busy=${busy}>
            ${t("Send")}
          <//>
        `
      }
    >
      ${problem && html`<${ProblemBox} problem=${problem} />`}
      <${Field}
        label=${t("E-mail")}
        type="email"
        value=${to}
        hint=${t("Empty: your own address.")}
        onInput=${setTo}
        autofocus
      />
    <//>
  `;
}
