// Dialogs of the status page: incidents, maintenance, and components.
import { html } from "../html.js";
import { patch, post } from "../api.js";
import { t } from "../i18n.js";
import { CheckList } from "../components/check-list.js";
import { Check, Field } from "../components/field.js";
import { FormDialog, useForm } from "../components/form.js";
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

/** @typedef {import("signalpost/api").Schemas["Component"]} Component */
/** @typedef {import("signalpost/api").Schemas["Incident"]} IncidentData */
/** @param {string} local */
const instant = (local) => (local ? new Date(local).toISOString() : null);

/**
 * A form that is closed when it is sent, and says what came of it.
 * @template {Record<string, unknown>} T
 * @param {T} initial
 * @param {(values: T) => Promise<unknown>} send
 * @param {() => void} onClose
 * @param {string} [done]
 */
const useDialogForm = (initial, send, onClose, done = t("The status page says so.")) =>
  useForm(initial, async (values) => {
    await send(values);
    toast(done);
    onClose();
  });

/** @param {{kind: string, components: Component[], onClose: () => void}} props */
export function Announce({ kind, components, onClose }) {
  const isMaintenance = kind === "maintenance";
  const form = useDialogForm(
    {
      title: "",
      body: "",
      impact: isMaintenance ? "none" : "minor",
      componentIds: /** @type {string[]} */ ([]),
      scheduledFor: "",
      scheduledUntil: "",
      notify: true,
    },
    ({ scheduledFor, scheduledUntil, ...values }) =>
      post("/status/admin/incidents", {
        ...values,
        kind,
        ...(isMaintenance
          ? { scheduledFor: instant(scheduledFor), scheduledUntil: instant(scheduledUntil) }
          : {}),
      }),
    onClose,
  );
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return html`
    <${FormDialog}
      title=${isMaintenance ? t("Announce maintenance") : t("Declare an incident")}
      form=${form}
      submit=${isMaintenance ? t("Announce it") : t("Declare it")}
      onClose=${onClose}
    >
      <${Field}
        label=${t("Title")}
        hint=${t("What users notice, in one line")}
        maxlength="200"
        autofocus
        ...${form.field("title")}
      />
      <${Field} label=${t("What is known")} rows=${4} maxlength="5000" ...${form.field("body")} />
      <${Field} label=${t("Impact")} options=${IMPACTS()} ...${form.field("impact")} />
      ${isMaintenance && html`
        <${Field}
          label=${t("Begins")}
          type="datetime-local"
          hint=${t("In the time zone of your browser, {zone}.", { zone: timeZone })}
          ...${form.field("scheduledFor")}
        />
        <${Field}
          label=${t("Ends, as expected")}
          type="datetime-local"
          ...${form.field("scheduledUntil")}
        />
      `}
      <fieldset>
        <legend class="legend">${t("Components; none: the service as a whole")}</legend>
        <${CheckList}
          options=${components.map(({ id, name }) => [id, name])}
          ...${form.field("componentIds")}
        />
      </fieldset>
      <${Check} label=${t("Tell subscribers")} ...${form.check("notify")} />
    <//>
  `;
}

/** @param {{incident: IncidentData, onClose: () => void}} props */
export function Say({ incident, onClose }) {
  const form = useDialogForm(
    { status: incident.status, body: "", impact: incident.impact, notify: true },
    (values) =>
      post(`/status/admin/incidents/${incident.id}/updates`, {
        ...values,
        impact: values.impact === incident.impact ? null : values.impact,
      }),
    onClose,
  );
  return html`
    <${FormDialog} title=${incident.title} form=${form} submit=${t("Say it")} onClose=${onClose}>
      <${Field}
        label=${t("State")}
        options=${named(STATUSES[incident.kind])}
        hint=${t("The last one ends it; within 24 hours another one opens it again.")}
        ...${form.field("status")}
      />
      <${Field} label=${t("What is new")} rows=${4} maxlength="5000" autofocus ...${form.field("body")} />
      <${Field} label=${t("Impact")} options=${IMPACTS()} ...${form.field("impact")} />
      <${Check} label=${t("Tell subscribers")} ...${form.check("notify")} />
    <//>
  `;
}

/** @param {{component: Component, onClose: () => void}} props */
export function SetStatus({ component, onClose }) {
  const form = useDialogForm(
    { status: component.status, reason: "" },
    ({ status, reason }) =>
      patch(`/status/admin/components/${component.id}/status`, { status, reason: reason || null }),
    onClose,
  );
  return html`
    <${FormDialog} title=${component.name} form=${form} submit=${t("Set")} onClose=${onClose}>
      <${Field}
        label=${t("State")}
        options=${named(COMPONENT)}
        hint=${component.automatic ? t("It no longer follows the figures then.") : undefined}
        ...${form.field("status")}
      />
      <${Field}
        label=${t("Why")}
        maxlength="500"
        hint=${t("For the audit log")}
        ...${form.field("reason")}
      />
    <//>
  `;
}

/** @param {{component: Component | undefined, onClose: () => void}} props */
export function ChangeComponent({ component, onClose }) {
  const form = useDialogForm(
    {
      key: component?.key ?? "",
      name: component?.name ?? "",
      description: component?.description ?? "",
      group: component?.group ?? "",
      order: String(component?.order ?? 100),
      platform: component?.platform ?? "",
      automatic: component?.automatic ?? false,
    },
    (values) =>
      post("/status/admin/components", {
        ...(component ? { id: component.id } : {}),
        ...values,
        description: values.description || null,
        group: values.group || null,
        order: Number(values.order),
        platform: values.platform || null,
      }),
    onClose,
    t("Saved."),
  );
  return html`
    <${FormDialog}
      title=${component ? component.name : t("Add a component")}
      form=${form}
      submit=${t("Save")}
      onClose=${onClose}
    >
      <${Field} label=${t("Name")} maxlength="100" autofocus ...${form.field("name")} />
      <${Field}
        label=${t("Key")}
        hint=${t("Its name in addresses: small letters, digits, _ and -")}
        maxlength="40"
        ...${form.field("key")}
      />
      <${Field} label=${t("Description")} maxlength="500" ...${form.field("description")} />
      <${Field} label=${t("Heading")} maxlength="100" ...${form.field("group")} />
      <${Field}
        label=${t("Place in the list")}
        type="number"
        min="0"
        max="10000"
        ...${form.field("order")}
      />
      <${Field}
        label=${t("Network that it stands for")}
        hint=${t("Empty: none")}
        maxlength="40"
        ...${form.field("platform")}
      />
      <${Check} label=${t("Its state follows the figures of the network")} ...${form.check("automatic")} />
    <//>
  `;
}
