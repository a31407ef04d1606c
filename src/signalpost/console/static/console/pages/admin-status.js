// What the public status page says: components, incidents and maintenance; and who hears of it.
import { html, useState } from "../html.js";
import { ROOT, get, post } from "../api.js";
import { Icon } from "../icons.js";
import { locale, t } from "../i18n.js";
import { useAction, useLoad } from "../hooks.js";
import { Time } from "../time.js";
import { Button } from "../components/button.js";
import { Loaded } from "../components/loaded.js";
import { Card } from "../components/page.js";
import { Table } from "../components/table.js";
import { toast } from "../components/toasts.js";
import { Announce, ChangeComponent, Say, SetStatus } from "./admin-incident.js";
import { Mark } from "./admin-parts.js";
import { Subscribers } from "./admin-subscribers.js";

/** @typedef {import("signalpost/api").Schemas["Component"]} Component */
/** @typedef {import("signalpost/api").Schemas["Incident"]} Incident */

async function load() {
  const [components, active, recent] = await Promise.all([
    get("/status/components"),
    get("/status/incidents/active"),
    get("/status/incidents/recent"),
  ]);
  return {
    components: components.data,
    active: active.data,
    recent: recent.data,
    overall: components.overall,
  };
}

export default function ServiceStatus() {
  const loaded = useLoad(load, []);
  const [open, setOpen] = useState(
    /** @type {{kind: string, of?: Component | Incident | null}} */ ({ kind: "" }),
  );
  const close = () => {
    setOpen({ kind: "" });
    void loaded.reload();
  };
  const onSay = (/** @type {Incident} */ incident) => setOpen({ kind: "say", of: incident });
  return html`
    <${Loaded} loaded=${loaded} lines=${8}>
      ${(/** @type {typeof loaded.data} */ data) => html`
        <p>
          <${Mark} status=${data.overall} />${" "}
          <a href=${`${ROOT}/status`} target="_blank" rel="noopener">
            ${t("Open the public page")}
          </a>
        </p>
        <${UnderWay}
          data=${data}
          onOpen=${(/** @type {string} */ kind) => setOpen({ kind })}
          onSay=${onSay}
        />
        <${Components}
          components=${data.components}
          onSet=${(/** @type {Component} */ of) => setOpen({ kind: "set", of })}
          onChange=${(/** @type {Component | null} */ of) => setOpen({ kind: "component", of })}
        />
        ${data.recent.length > 0 && html`
          <${Card} title=${t("Ended within 30 days")}>
            <ul class="list">
              ${data.recent.map((incident) => html`
                <${Incident}
                  key=${incident.id}
                  incident=${incident}
                  components=${data.components}
                  onSay=${() => onSay(incident)}
                />
              `)}
            </ul>
          <//>
        `}
        <${Backfill} />
        <${Subscribers} components=${data.components} />
        ${["incident", "maintenance"].includes(open.kind) && html`
          <${Announce} kind=${open.kind} components=${data.components} onClose=${close} />
        `}
        ${open.kind === "say" && html`<${Say} incident=${open.of} onClose=${close} />`}
        ${open.kind === "set" && html`<${SetStatus} component=${open.of} onClose=${close} />`}
        ${open.kind === "component" && html`<${ChangeComponent} component=${open.of} onClose=${close} />`}
      `}
    <//>
  `;
}

/** @param {{incident: Incident, components: Component[], onSay: () => void}} props */
function Incident({ incident, components, onSay }) {
  const names = incident.componentIds
    .map((/** @type {string} */ id) => components.find((component) => component.id === id)?.name ?? id)
    .join(", ");
  return html`
    <li>
      <div class="full">
        <div class="actions">
          <strong class="grow">${incident.title}</strong>
          <${Mark} status=${incident.status} />
          <${Button} aria-label=${t("Say what is new: {name}", { name: incident.title })} onClick=${onSay}>
            ${t("Say what is new")}
          <//>
        </div>
        <p class="soft small">
          ${incident.kind === "maintenance" ? t("Maintenance") : t("Incident")} ·${" "}
          ${names || t("the service as a whole")} ·${" "}
          <${Time} at=${incident.scheduledFor ?? incident.startedAt} />
          ${incident.scheduledUntil && html`
            ${" "}
            – <${Time} at=${incident.scheduledUntil} />
          `}
        </p>
        <ol class="timeline">
          ${incident.updates.slice(0, 5).map((update) => html`
            <li key=${update.id}>
              <${Mark} status=${update.status} />${" "}
              <span class="soft">
                <${Time} at=${update.createdAt} kind="relative" /> · ${update.author}
              </span>
              <div class="post-text">${update.body}</div>
            </li>
          `)}
        </ol>
      </div>
    </li>
  `;
}

/**
 * @param {{
 *   components: Component[], onSet: (component: Component) => void,
 *   onChange: (component: Component | null) => void
 * }} props
 */
function Components({ components, onSet, onChange }) {
  const percent = (/** @type {number | null} */ share) =>
    share === null ? html`
      <span class="soft">${t("not known")}</span>
    ` : (
      new Intl.NumberFormat(locale(), { style: "percent", maximumFractionDigits: 2 }).format(share / 100)
    );
  return html`
    <${Card}
      title=${t("Components")}
      actions=${
        html`<${Button} icon="plus" onClick=${() => onChange(null)}>
          ${t("Add a component")}
        <//>`
      }
    >
      <${Table}
        label=${t("Components")}
        columns=${[t("Name"), t("State"), t("90 days"), t("Follows"), ""]}
        numbers=${[2]}
        rows=${components.map((component) => ({
          key: component.id,
          cells: [
            html`<span>
              <strong>${component.name}</strong> <code class="soft">${component.key}</code>
            </span>`,
            html`<${Mark} status=${component.status} />`,
            percent(component.uptime90d),
            component.automatic ? t("the figures") : t("people"),
            html`
              <${Button}
                aria-label=${t("Set the state of {name}", { name: component.name })}
                onClick=${() => onSet(component)}
              >
                ${t("Set")}
              <//>
              <${Button}
                kind="quiet"
                aria-label=${t("Change {name}", { name: component.name })}
                onClick=${() => onChange(component)}
              >
                ${t("Change")}
              <//>
            `,
          ],
        }))}
      />
    <//>
  `;
}

function Backfill() {
  const [busy, fill] = useAction(async () => {
    const { daysWritten } = await post("/status/admin/backfill-uptime", {});
    toast(t("Days that were filled: {n}", { n: daysWritten }));
  });
  return html`
    <${Card} title=${t("Minutes that were not recorded")}>
      <p class="soft">
        <${Icon} name="clock" />${" "}
        ${t(
          "While no process ran, nothing was recorded. Fill the gaps of 90 days: up where no incident was open, else what the incident says. Recorded minutes stay.",
        )}
      </p>
      <${Button} busy=${busy} onClick=${fill}>
        ${t("Fill the gaps")}
      <//>
    <//>
  `;
}

/**
 * @param {{
 *   data: Awaited<ReturnType<typeof load>>, onOpen: (kind: string) => void,
 *   onSay: (incident: Incident) => void
 * }} props
 */
function UnderWay({ data, onOpen, onSay }) {
  return html`
    <${Card}
      title=${t("Under way")}
      actions=${
        html`
          <${Button} onClick=${() => onOpen("maintenance")}>${t("Announce maintenance")}<//>
          <${Button} kind="primary" onClick=${() => onOpen("incident")}>
            ${t("Declare an incident")}
          <//>
        `
      }
    >
      ${data.active.length ? html`
        <ul class="list">
          ${data.active.map((incident) => html`
            <${Incident}
              key=${incident.id}
              incident=${incident}
              components=${data.components}
              onSay=${() => onSay(incident)}
            />
          `)}
        </ul>
      ` : html`
        <p class="soft">${t("No incident is open, and no maintenance is planned.")}</p>
      `}
    <//>
  `;
}
