// What a webhook missed, sent again; and its secrets, changed in one step or two.
import { html } from "../html.js";
import { post, remove } from "../api.js";
import { number, t } from "../i18n.js";
import { useAction } from "../hooks.js";
import { may, zone } from "../store.js";
import { zoneLabel } from "../time.js";
import { resolve } from "../zones.js";
import { Button } from "../components/button.js";
import { Field } from "../components/field.js";
import { FormDialog, listed, useForm } from "../components/form.js";
import { SecretDialog } from "../components/secret-dialog.js";
import { toast } from "../components/toasts.js";

/** @typedef {import("signalpost/api").Schemas["Webhook"]} Webhook */

/** What is left to do with a webhook: enable it, wait for a replay, finish a change of secrets.
 * @param {{
 *   hook: Webhook, busy: boolean, onResume: () => void, onChange: (hook: Webhook) => void, onDone: () => void
 * }} props */
export function Notices({ hook, busy, onResume, onChange, onDone }) {
  const button = (
    /** @type {"stop" | "activate-secret" | "revoke-secret"} */ verb,
    /** @type {string} */ label,
  ) =>
    may("webhooks:write") && html`
      <${Act}
        label=${label}
        act=${async () => {
          onChange(
            verb === "stop"
              ? await remove(`/webhooks/${hook.id}/replay`)
              : await post(`/webhooks/${hook.id}/${verb}`, {}),
          );
          onDone();
        }}
      />
    `;
  return html`
    ${hook.disabledReason && html`
      <div class="notice bad">
        <p>${hook.disabledReason}</p>
        ${may("webhooks:write") && html`
          <${Button} busy=${busy} onClick=${onResume}>
            ${t("Enable it again")}
          <//>
        `}
      </div>
    `}
    ${hook.replay?.status === "running" && html`
      <div class="notice" role="status">
        <p>${t("What it missed is being sent: {n} until now.", { n: number(hook.replay.replayed) })}</p>
        ${button("stop", t("Stop"))}
      </div>
    `}
    ${hook.hasNextSecret && html`
      <div class="notice">
        <p>
          ${t(
            "A new secret is prepared: it signs beside the current one. Activate it when your server knows it.",
          )}
        </p>
        ${button("activate-secret", t("Activate"))}
        ${button("revoke-secret", t("Discard"))}
      </div>
    `}
    ${hook.previousSecretUntil && html`
      <div class="notice">
        <p>${t("The previous secret still signs beside the new one.")}</p>
        ${button("revoke-secret", t("End it now"))}
      </div>
    `}
  `;
}

/** A button that is busy while it acts. @param {{label: string, act: () => Promise<void>}} props */
function Act({ label, act }) {
  const [busy, run] = useAction(act);
  return html`
    <${Button} busy=${busy} onClick=${run}>
      ${label}
    <//>
  `;
}

/** Which events to send again. @param {{id: string, missed: boolean, onClose: () => void}} props */
export function ReplayDialog({ id, missed, onClose }) {
  const form = useForm({ from: "", to: "", types: "", what: "missed" }, async (values) => {
    const at = (/** @type {string} */ text) => (text ? resolve(text, zone.value).toISOString() : null);
    await post(`/webhooks/${id}/replay`, {
      from: at(values.from),
      to: at(values.to),
      types: listed(values.types),
      states: values.what === "all" ? ["skipped", "failed", "permanently_failed", "delivered"] : null,
    });
    toast(t("It is being sent; new events pass between."));
    onClose();
  });
  if (missed)
    return html`
      <${FormDialog}
        title=${t("Send what it missed?")}
        form=${form}
        submit=${t("Send")}
        cancel=${t("Not now")}
        onClose=${onClose}
      >
        <p>
          ${t(
            "Events happened while nothing was sent to this webhook. Each has its own id: your server can recognise what it has handled.",
          )}
        </p>
      <//>
    `;
  return html`
    <${FormDialog} title=${t("Send again")} form=${form} submit=${t("Send")} onClose=${onClose}>
      <p>${t("Every event keeps its id and its bytes: your server can recognise what it has handled.")}</p>
      <${Field}
        label=${t("From")}
        type="datetime-local"
        hint=${`${zoneLabel(zone.value)} · ${t("Empty: the last 30 days")}`}
        ...${form.field("from")}
      />
      <${Field}
        label=${t("To")}
        type="datetime-local"
        hint=${`${zoneLabel(zone.value)} · ${t("Empty: until now")}`}
        ...${form.field("to")}
      />
      <${Field}
        label=${t("Events")}
        placeholder="post.published, post.failed"
        hint=${t("Empty: all events.")}
        ...${form.field("types")}
      />
      <${Field}
        label=${t("Deliveries")}
        options=${[
          ["missed", t("What did not arrive")],
          ["all", t("Everything, also what arrived")],
        ]}
        ...${form.field("what")}
      />
    <//>
  `;
}

/**
 * How to change the secret.
 * @param {{id: string, onClose: () => void, onSecret: (secret: string) => void}} props
 */
export function RotateDialog({ id, onClose, onSecret }) {
  const form = useForm({ how: "overlap" }, async ({ how }) => {
    const body = { overlap: {}, prepare: { activate: false }, stolen: { overlapSeconds: 0 } }[how];
    const { secret } = await post(`/webhooks/${id}/rotate-secret`, body);
    onClose();
    onSecret(secret);
  });
  const ways = [
    ["overlap", t("Switch now"), t("The old secret signs too for 24 hours.")],
    ["prepare", t("Prepare it"), t("Nothing changes until you activate the new secret.")],
    [
      "stolen",
      t("End the old one at once"),
      t("For a secret that may be stolen: deliveries are signed with the new one only."),
    ],
  ];
  return html`
    <${FormDialog}
      title=${t("New secret")}
      form=${form}
      submit=${t("Make a new secret")}
      onClose=${onClose}
    >
      <${Field}
        label=${t("What about the old one?")}
        options=${ways.map(([key, name]) => [key, name])}
        hint=${ways.find(([key]) => key === form.values.how)?.[2]}
        ...${form.field("how")}
      />
    <//>
  `;
}

/** @param {{secret: string, onClose: () => void}} props */
export function WebhookSecret({ secret, onClose }) {
  return html`
    <${SecretDialog}
      title=${t("Copy the secret now")}
      note=${t("Your server checks the signature of each delivery with it. It is shown only now.")}
      secret=${secret}
      copy=${t("Copy the secret")}
      onClose=${onClose}
    />
  `;
}
