// Webhooks, and adding one.
import { html, useState } from "../html.js";
import { ROOT, all, post } from "../api.js";
import { t } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { to } from "../router.js";
import { may } from "../store.js";
import { Time } from "../time.js";
import { Badge } from "../components/badge.js";
import { Button } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { Field } from "../components/field.js";
import { FormDialog, listed, useForm } from "../components/form.js";
import { List } from "../components/list.js";
import { WebhookSecret } from "./developers-recovery.js";

/** @typedef {import("signalpost/api").Schemas["Webhook"]} Webhook */

export default function Webhooks() {
  const loaded = useLoad(() => all("/webhooks"), []);
  const [making, setMaking] = useState(false);
  const button = may("webhooks:write") && html`
    <${Button} kind="primary" icon="plus" onClick=${() => setMaking(true)}>
      ${t("Add a webhook")}
    <//>
  `;
  return html`
    <${List}
      loaded=${loaded}
      label=${t("Webhooks")}
      columns=${[t("Webhook"), t("Events"), t("State"), t("Last success"), t("Last failure")]}
      action=${button}
      empty=${
        html`<${Empty} title=${t("No webhooks yet")} icon="developers" action=${button}>
          ${t(
            "Your server hears of every result the moment it is known, signed and repeated until it answers.",
          )}
        <//>`
      }
      row=${(/** @type {Webhook} */ hook) => ({
        key: hook.id,
        href: to(`developers/webhooks/${hook.id}`),
        cells: [
          hook.name ?? hook.url,
          hook.events.length
            ? hook.events.slice(0, 3).join(", ") + (hook.events.length > 3 ? " …" : "")
            : t("all events"),
          html`<${Badge} state=${hook.status} />`,
          html`<${Time} at=${hook.lastSuccessAt} kind="relative" />`,
          html`<${Time} at=${hook.lastFailureAt} kind="relative" />`,
        ],
      })}
    />
    ${making && html`
      <${AddWebhook}
        onClose=${() => {
          setMaking(false);
          void loaded.reload();
        }}
      />
    `}
  `;
}

/** @param {{onClose: () => void}} props */
function AddWebhook({ onClose }) {
  const [secret, setSecret] = useState("");
  const form = useForm({ url: "", name: "", events: "", mode: "live" }, async (values) => {
    const body = { ...values, name: values.name || null, events: listed(values.events) };
    setSecret((await post("/webhooks", body)).secret);
  });
  if (secret) return html`<${WebhookSecret} secret=${secret} onClose=${onClose} />`;
  const hint = html`
    ${t("Empty: all events.")}${" "}
    <a href=${`${ROOT}/docs/events`} target="_blank" rel="noopener">
      ${t("List of events")}
    </a>
  `;
  return html`
    <${FormDialog}
      title=${t("Add a webhook")}
      form=${form}
      submit=${t("Add the webhook")}
      onClose=${onClose}
    >
      <${Field}
        label=${t("Address")}
        type="url"
        placeholder="https://example.com/hooks"
        autofocus
        ...${form.field("url")}
      />
      <${Field} label=${t("Name")} maxlength="100" ...${form.field("name")} />
      <${Field}
        label=${t("Events")}
        placeholder="post.published, post.failed"
        hint=${hint}
        ...${form.field("events")}
      />
      <${Field}
        label=${t("Kind")}
        options=${[
          ["live", t("Live")],
          ["test", t("Test")],
        ]}
        ...${form.field("mode")}
      />
    <//>
  `;
}
