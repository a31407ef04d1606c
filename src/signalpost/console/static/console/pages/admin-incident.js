// Dialogs of the status page: incidents, maintenance, and components.
import { html, useState } from "../html.js";
import { patch, post } from "../api.js";
import { t } from "../i18n.js";
import { useAction } from "../hooks.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Check, Field } from "../components/field.js";
import { ProblemBox } from "../components/problem-box.js";
import { toast } from "../components/toasts.js";
import { markName } from "./admin-parts.js";

const COMPONENT = [
  "operational",
  "under_maintenance",
  "degraded_performance",
  "partial_outage",
  "major_outage",
];
const STATUSES = /** @type {Record<string, string[]>} */ ({
  incident: ["investigating", "identified", "monitoring", "resolved"],
  maintenance: ["scheduled", "in_progress", "verifying", "completed"],
});
const IMPACTS = () =>
  /** @type {[string, string][]} */ ([
    ["none", t("none: only to inform")],
    ["minor", t("minor: slow")],
    ["major", t("major: partly down")],
    ["critical", t("critical: down")],
  ]);
/** @param {string[]} keys @returns {[string, string][]} */
const named = (keys) => keys.map((key) => [key, markName(key)]);

/**
 * A dialog that sends its fields with one call.
 * @param {{
 *   title: string, action: string, danger?: boolean, send: () => Promise<any>, done: string,
 *   onClose: () => void, children: (errorOf: (name: string) => string | undefined) => any
 * }} props
 */
function Form({ title, action, send, done, onClose, children }) {
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [busy, act] = useAction(async () => {
    setProblem(null);
    try {
      await send();
      toast(done);
      onClose();
    } catch (error) {
      setProblem(error);
    }
  });
  const errorOf = (/** @type {string} */ name) =>
    problem?.issues?.find((/** @type {any} */ issue) => issue.path.startsWith(`/${name}`))?.message;
  return html`
    <${Dialog}
      title=${title}
      onClose=${onClose}
      onSubmit=${act}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Cancel")}<//>
          <${Button} kind="primary" type="submit" busy=${busy}>
            ${action}
          <//>
        `
      }
    >
      ${problem && html`<${ProblemBox} problem=${problem} />`}
      ${children(errorOf)}
    <//>
  `;
}

/** @param {any} initial @returns {[any, (name: string) => (value: any) => void]} */
function useFields(initial) {
  const [fields, setFields] = useState(initial);
  return [fields, (name) => (value) => setFields((/** @type {any} */ old) => ({ ...old, [name]: value }))];
}

/** @param {string} local */
const instant = (local) => (local ? new Date(local).toISOString() : null);

/** @param {{kind: string, components: any[], onClose: () => void}} props */
export function Announce({ kind, components, onClose }) {
  const isMaintenance = kind === "maintenance";
  const [fields, set] = useFields({
    title: "",
    body: "",
    impact: isMaintenance ? "none" : "minor",
    componentIds: [],
    from: "",
    until: "",
    notify: true,
  });
  const send = () =>
    post("/status/admin/incidents", {
      title: fields.title,
      body: fields.body,
      impact: fields.impact,
      componentIds: fields.componentIds,
      kind,
      notify: fields.notify,
      ...(isMaintenance
        ? { scheduledFor: instant(fields.from), scheduledUntil: instant(fields.until) }
        : {}),
    });
  const hint = t("In the time zone of your browser, {zone}.", {
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  return html`
    <${Form}
      title=${isMaintenance ? t("Announce maintenance") : t("Declare an incident")}
      action=${isMaintenance ? t("Announce it") : t("Declare it")}
      done=${t("The status page says so.")}
      send=${send}
      onClose=${onClose}
    >
      ${(/** @type {any} */ errorOf) => html`
        <${Field}
          label=${t("Title")}
          hint=${t("What users notice, in one line")}
          maxlength="200"
          value=${fields.title}
          error=${errorOf("title")}
          onInput=${set("title")}
          autofocus
        />
        <${Field}
          label=${t("What is known")}
          rows=${4}
          maxlength="5000"
          value=${fields.body}
          error=${errorOf("body")}
          onInput=${set("body")}
        />
        <${Field}
          label=${t("Impact")}
          options=${IMPACTS()}
          value=${fields.impact}
          onInput=${set("impact")}
        />
        ${isMaintenance && html`
          <${Field}
            label=${t("Begins")}
            type="datetime-local"
            value=${fields.from}
            error=${errorOf("scheduledFor")}
            hint=${hint}
            onInput=${set("from")}
          />
          <${Field}
            label=${t("Ends, as expected")}
            type="datetime-local"
            value=${fields.until}
            error=${errorOf("scheduledUntil")}
            onInput=${set("until")}
          />
          `}
        <fieldset>
          <legend class="legend">${t("Components; none: the service as a whole")}</legend>
          ${components.map((component) => html`
            <${Check}
              key=${component.id}
              label=${component.name}
              checked=${fields.componentIds.includes(component.id)}
              onChange=${(/** @type {boolean} */ on) =>
                set("componentIds")(
                  on
                    ? [...fields.componentIds, component.id]
                    : fields.componentIds.filter((/** @type {string} */ id) => id !== component.id),
                )
              }
            />
          `)}
        </fieldset>
        <${Check} label=${t("Tell subscribers")} checked=${fields.notify} onChange=${set("notify")} />
      `}
    <//>
  `;
}

/** @param {{incident: any, onClose: () => void}} props */
export function Say({ incident, onClose }) {
  const [fields, set] = useFields({
    status: incident.status,
    body: "",
    impact: incident.impact,
    notify: true,
  });
  const send = () =>
    post(`/status/admin/incidents/${incident.id}/updates`, {
      status: fields.status,
      body: fields.body,
      notify: fields.notify,
      impact: fields.impact === incident.impact ? null : fields.impact,
    });
  return html`
    <${Form}
      title=${incident.title}
      action=${t("Say it")}
      done=${t("The status page says so.")}
      send=${send}
      onClose=${onClose}
    >
      ${(/** @type {any} */ errorOf) => html`
        <${Field}
          label=${t("State")}
          options=${named(STATUSES[incident.kind])}
          value=${fields.status}
          error=${errorOf("status")}
          onInput=${set("status")}
          hint=${t("The last one ends it; within 24 hours another one opens it again.")}
        />
        <${Field}
          label=${t("What is new")}
          rows=${4}
          maxlength="5000"
          value=${fields.body}
          error=${errorOf("body")}
          onInput=${set("body")}
          autofocus
        />
        <${Field}
          label=${t("Impact")}
          options=${IMPACTS()}
          value=${fields.impact}
          onInput=${set("impact")}
        />
        <${Check} label=${t("Tell subscribers")} checked=${fields.notify} onChange=${set("notify")} />
      `}
    <//>
  `;
}

/** @param {{component: any, onClose: () => void}} props */
export function SetStatus({ component, onClose }) {
  const [fields, set] = useFields({ status: component.status, reason: "" });
  const send = () =>
    patch(`/status/admin/components/${component.id}/status`, {
      status: fields.status,
      reason: fields.reason || null,
    });
  return html`
    <${Form}
      title=${component.name}
      action=${t("Set")}
      done=${t("The status page says so.")}
      send=${send}
      onClose=${onClose}
    >
      ${(/** @type {any} */ errorOf) => html`
        <${Field}
          label=${t("State")}
          options=${named(COMPONENT)}
          value=${fields.status}
          onInput=${set("status")}
          hint=${component.automatic ? t("It no longer follows the figures then.") : undefined}
        />
        <${Field}
          label=${t("Why")}
          maxlength="500"
          value=${fields.reason}
          error=${errorOf("reason")}
          hint=${t("For the audit log")}
          onInput=${set("reason")}
        />
      `}
    <//>
  `;
}

/** @param {{component: any, onClose: () => void}} props */
export function ChangeComponent({ component, onClose }) {
  const [fields, set] = useFields({
    key: component?.key ?? "",
    name: component?.name ?? "",
    description: component?.description ?? "",
    group: component?.group ?? "",
    order: String(component?.order ?? 100),
    platform: component?.platform ?? "",
    automatic: component?.automatic ?? false,
  });
  const send = () =>
    post("/status/admin/components", {
      ...(component ? { id: component.id } : {}),
      key: fields.key,
      name: fields.name,
      description: fields.description || null,
      group: fields.group || null,
      order: Number(fields.order),
      platform: fields.platform || null,
      automatic: fields.automatic,
    });
  return html`
    <${Form}
      title=${component ? component.name : t("Add a component")}
      action=${t("Save")}
      done=${t("Saved.")}
      send=${send}
      onClose=${onClose}
    >
      ${(/** @type {any} */ errorOf) => html`
        <${Field}
          label=${t("Name")}
          value=${fields.name}
          maxlength="100"
          error=${errorOf("name")}
          onInput=${set("name")}
          autofocus
        />
        <${Field}
          label=${t("Key")}
          hint=${t("Its name in addresses: small letters, digits, _ and -")}
          value=${fields.key}
          maxlength="40"
          error=${errorOf("key")}
          onInput=${set("key")}
        />
        <${Field}
          label=${t("Description")}
          value=${fields.description}
          maxlength="500"
          onInput=${set("description")}
        />
        <${Field} label=${t("Heading")} value=${fields.group} maxlength="100" onInput=${set("group")} />
        <${Field}
          label=${t("Place in the list")}
          type="number"
          min="0"
          max="10000"
          value=${fields.order}
          error=${errorOf("order")}
          onInput=${set("order")}
        />
        <${Field}
          label=${t("Network that it stands for")}
          hint=${t("Empty: none")}
          value=${fields.platform}
          maxlength="40"
          error=${errorOf("platform")}
          onInput=${set("platform")}
        />
        <${Check}
          label=${t("Its state follows the figures of the network")}
          checked=${fields.automatic}
          onChange=${set("automatic")}
        />
      `}
    <//>
  `;
}
