// API keys: make one, revoke one.
import { html, useState } from "../html.js";
import { all, post, remove, ROOT } from "../api.js";
import { t } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { may } from "../store.js";
import { Time } from "../time.js";
import { Badge } from "../components/badge.js";
import { Button } from "../components/button.js";
import { ConfirmDialog } from "../components/confirm-dialog.js";
import { Empty } from "../components/empty.js";
import { Field } from "../components/field.js";
import { FormDialog, useForm } from "../components/form.js";
import { List } from "../components/list.js";
import { SecretDialog } from "../components/secret-dialog.js";
import { toast } from "../components/toasts.js";

/** @typedef {import("signalpost/api").Schemas["ApiKey"]} ApiKey */
/** @typedef {import("signalpost/api").Schemas["ApiKeyWithSecret"]} ApiKeyWithSecret */

export function Keys() {
  const loaded = useLoad(() => (may("keys:write") ? all("/api-keys") : Promise.resolve([])), []);
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState(/** @type {ApiKey | null} */ (null));
  if (!may("keys:write"))
    return html`
      <${Empty} title=${t("Your role has no API keys")} icon="developers">
        ${t("Ask an admin of the workspace for another role.")}
      <//>
    `;
  const button = html`
    <${Button} kind="primary" icon="plus" onClick=${() => setMaking(true)}>
      ${t("Make an API key")}
    <//>
  `;
  return html`
    <${List}
      loaded=${loaded}
      label=${t("API keys")}
      columns=${[t("Name"), t("Key"), t("Kind"), t("May"), t("Last used"), t("State"), ""]}
      action=${button}
      empty=${
        html`<${Empty} title=${t("No API keys yet")} icon="developers" action=${button}>
          ${t("A program sends a key with each call. A test key sees only the sandbox.")}
        <//>`
      }
      row=${(/** @type {ApiKey} */ key) => ({
        key: key.id,
        cells: [
          html`<strong>${key.name}</strong>`,
          html`<code>${key.prefix}…</code>`,
          html`<${Badge} state=${key.mode} />`,
          key.permission === "read" ? t("read") : t("read and write"),
          html`<${Time} at=${key.lastUsedAt} kind="relative" />`,
          html`<${Badge} state=${key.status} />`,
          key.status === "active" && html`
            <${Button}
              kind="danger"
              aria-label=${t("Revoke {name}", { name: key.name })}
              onClick=${() => setRevoking(key)}
            >
              ${t("Revoke")}
            <//>
          `,
        ],
      })}
    />
    ${making && html`
      <${MakeKey}
        onClose=${() => {
          setMaking(false);
          void loaded.reload();
        }}
      />
    `}
    ${revoking && html`
      <${RevokeKey}
        apiKey=${revoking}
        onClose=${() => {
          setRevoking(null);
          void loaded.reload();
        }}
      />
    `}
  `;
}

/** @param {{onClose: () => void}} props */
function MakeKey({ onClose }) {
  const [created, setCreated] = useState(/** @type {ApiKeyWithSecret | null} */ (null));
  const form = useForm({ name: "", mode: "live", permission: "read_write" }, async (values) =>
    setCreated(await post("/api-keys", values)),
  );
  if (created)
    return html`
      <${SecretDialog}
        title=${t("Copy the key now")}
        note=${t("It is shown only now; we keep nothing from which it could be read.")}
        secret=${created.key}
        copy=${t("Copy the key")}
        onClose=${onClose}
      >
        <p class="soft">${t("Try it:")}</p>
        <pre tabindex="0">
          curl ${location.origin}/api/v1/auth/me -H 'Authorization: Bearer ${created.key}'
        </pre>
        <p class="soft">
          ${t("Assistants (MCP) connect to {address} with this key.", {
            address: `${location.origin}${ROOT}/mcp`,
          })}
        </p>
      <//>
    `;
  return html`
    <${FormDialog}
      title=${t("Make an API key")}
      form=${form}
      submit=${t("Make the key")}
      onClose=${onClose}
    >
      <${Field}
        label=${t("Name")}
        hint=${t("Where it is used, such as CMS")}
        maxlength="100"
        autofocus
        ...${form.field("name")}
      />
      <${Field}
        label=${t("Kind")}
        options=${[
          ["live", t("Live: publishes for real")],
          ["test", t("Test: only the sandbox")],
        ]}
        ...${form.field("mode")}
      />
      <${Field}
        label=${t("May")}
        options=${[
          ["read_write", t("read and write")],
          ["read", t("read")],
        ]}
        ...${form.field("permission")}
      />
    <//>
  `;
}

/** @param {{apiKey: ApiKey, onClose: () => void}} props */
function RevokeKey({ apiKey, onClose }) {
  const act = async () => {
    await remove(`/api-keys/${apiKey.id}`);
    toast(t("The key no longer works."));
    onClose();
  };
  return html`
    <${ConfirmDialog}
      title=${t("Revoke {name}?", { name: apiKey.name })}
      confirm=${t("Revoke")}
      act=${act}
      onClose=${onClose}
    >
      <p>
        ${t(
          "Programs that use it are refused from now on, and so are keys that it made. This cannot be undone.",
        )}
      </p>
    <//>
  `;
}
