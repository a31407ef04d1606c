// Apps of others: what they were allowed here, and those that this workspace has registered.
import { html, useState } from "../html.js";
import { all, get, patch, post, remove, ROOT } from "../api.js";
import { t } from "../i18n.js";
import { useAction, useLoad } from "../hooks.js";
import { isAdmin } from "../rights.js";
import { Time } from "../time.js";
import { Button } from "../components/button.js";
import { ConfirmDialog } from "../components/confirm-dialog.js";
import { Empty } from "../components/empty.js";
import { Field } from "../components/field.js";
import { FormDialog, listed, useForm } from "../components/form.js";
import { List } from "../components/list.js";
import { Loaded } from "../components/loaded.js";
import { Card } from "../components/page.js";
import { SecretDialog } from "../components/secret-dialog.js";
import { toast } from "../components/toasts.js";

/** @typedef {import("signalpost/api").Schemas["App"]} App */
/** @typedef {import("signalpost/api").Schemas["AppGrant"]} AppGrant */
/** @typedef {import("signalpost/api").Schemas["AppWithSecret"]} AppWithSecret */

/** @typedef {{loaded: {data: any, problem: unknown, reload: () => Promise<void>}}} ListProps */

export default function Apps() {
  // Both at once: the one that comes later would move what is being pressed in the other.
  const { data, problem, reload } = useLoad(() => Promise.all([all("/app-grants"), all("/apps")]), []);
  const listOf = (/** @type {0 | 1} */ index) => ({ data: data[index], problem: null, reload });
  return html`
    <${Loaded} loaded=${{ data, problem, reload }}>
      ${() => html`
        <${Card} title=${t("Connected apps")}>
          <${Grants} loaded=${listOf(0)} />
        <//>
        <${Card} title=${t("Apps of this workspace")}>
          <${OwnApps} loaded=${listOf(1)} />
        <//>
      `}
    <//>
  `;
}

/** @param {ListProps} props */
function Grants({ loaded }) {
  const [ending, setEnding] = useState(/** @type {AppGrant | null} */ (null));
  const act = async () => {
    await remove(`/app-grants/${ending?.id}`);
    toast(t("The app no longer acts here."));
    setEnding(null);
    void loaded.reload();
  };
  return html`
    <${List}
      loaded=${loaded}
      label=${t("Connected apps")}
      columns=${[t("App"), t("Allowed by"), t("Allowed"), t("Last used"), t("May"), ""]}
      empty=${
        html`<${Empty} title=${t("No app acts for this workspace")} icon="developers">
          ${t(
            "An assistant or another product asks you in your browser; what you allow it is listed here.",
          )}
        <//>`
      }
      row=${(/** @type {AppGrant} */ grant) => ({
        key: grant.id,
        cells: [
          html`
            <strong>${grant.app.name}</strong> <span class="soft">${grant.app.redirectHost}</span>
            `,
          grant.grantedBy.name,
          html`<${Time} at=${grant.createdAt} kind="relative" />`,
          html`<${Time} at=${grant.lastUsedAt} kind="relative" />`,
          grant.scopes.join(", "),
          html`<${Button}
            kind="danger"
            aria-label=${t("Revoke {name}", { name: grant.app.name })}
            onClick=${() => setEnding(grant)}
          >
            ${t("Revoke")}
          <//>`,
        ],
      })}
    />
    ${ending && html`
      <${ConfirmDialog}
        title=${t("Revoke {name}?", { name: ending.app.name })}
        confirm=${t("Revoke")}
        act=${act}
        onClose=${() => setEnding(null)}
      >
        <p>
          ${t(
            "It is refused from now on, and webhooks that it made are paused. Posts that it scheduled stay.",
          )}
        </p>
      <//>
    `}
  `;
}

/** @param {ListProps} props */
function OwnApps({ loaded }) {
  const [dialog, setDialog] = useState(/** @type {unknown} */ (null));
  const onClose = () => {
    setDialog(null);
    void loaded.reload();
  };
  const button = isAdmin() && html`
    <${Button}
      kind="primary"
      icon="plus"
      onClick=${() => setDialog(html`<${MakeApp} onClose=${onClose} />`)}
    >
      ${t("Register an app")}
    <//>
  `;
  return html`
    <${List}
      loaded=${loaded}
      label=${t("Apps of this workspace")}
      columns=${[t("Name"), "client_id", t("Redirect addresses"), ""]}
      action=${button}
      empty=${
        html`<${Empty} title=${t("No apps yet")} icon="developers" action=${button}>
          ${t("An app acts for people who allow it, here or in other workspaces.")}${" "}
          <a href=${`${ROOT}/docs/guides/apps`} target="_blank" rel="noopener">
            ${t("How it works")}
          </a>
        <//>`
      }
      row=${(/** @type {App} */ app) => ({
        key: app.id,
        cells: [
          html`<strong>${app.name}</strong>`,
          html`<code>${app.id}</code>`,
          app.redirectUris.join(", "),
          isAdmin() && html`
            <${Button}
              aria-label=${t("Change {name}", { name: app.name })}
              onClick=${() => setDialog(html`<${ChangeApp} id=${app.id} onClose=${onClose} />`)}
            >
              ${t("Change")}
            <//>
            <${Button}
              kind="danger"
              aria-label=${t("Delete {name}", { name: app.name })}
              onClick=${() => setDialog(html`<${DeleteApp} app=${app} onClose=${onClose} />`)}
            >
              ${t("Delete")}
            <//>
            `,
        ],
      })}
    />
    ${dialog}
  `;
}

/** @param {{app: AppWithSecret, onClose: () => void}} props */
function Secret({ app, onClose }) {
  return html`
    <${SecretDialog}
      title=${t("Copy the secret now")}
      note=${t("It is shown only now; we keep nothing from which it could be read.")}
      secret=${app.secret ?? ""}
      copy=${t("Copy the secret")}
      onClose=${onClose}
    >
      <p class="soft">
        client_id: <code>${app.id}</code>
      </p>
    <//>
  `;
}

/** @param {{form: import("../components/form.js").FormOf<{name: string, redirectUris: string}>}} props */
function Fields({ form }) {
  return html`
    <${Field}
      label=${t("Name")}
      hint=${t("What people read when it asks them")}
      maxlength="100"
      autofocus
      ...${form.field("name")}
    />
    <${Field}
      label=${t("Redirect addresses")}
      hint=${t("One a line, character for character, such as https://shop.example.com/callback")}
      rows=${3}
      ...${form.field("redirectUris")}
    />
  `;
}

/** @param {{onClose: () => void}} props */
function MakeApp({ onClose }) {
  const [created, setCreated] = useState(/** @type {AppWithSecret | null} */ (null));
  const form = useForm({ name: "", redirectUris: "", type: "confidential" }, async (values) => {
    const app = await post("/apps", { ...values, redirectUris: listed(values.redirectUris) });
    if (app.secret) setCreated(app);
    else onClose();
  });
  if (created) return html`<${Secret} app=${created} onClose=${onClose} />`;
  return html`
    <${FormDialog}
      title=${t("Register an app")}
      form=${form}
      submit=${t("Register")}
      onClose=${onClose}
    >
      <${Fields} form=${form} />
      <${Field}
        label=${t("Kind")}
        options=${[
          ["confidential", t("On a server, which keeps a secret")],
          ["public", t("On people's machines, without a secret")],
        ]}
        ...${form.field("type")}
      />
    <//>
  `;
}

/** @param {{id: string, onClose: () => void}} props */
function ChangeApp({ id, onClose }) {
  const { data } = useLoad(() => get(`/apps/${id}`), [id]);
  return data ? html`<${ChangeForm} app=${data} onClose=${onClose} />` : null;
}

/** @param {{app: App, onClose: () => void}} props */
function ChangeForm({ app, onClose }) {
  const [replaced, setReplaced] = useState(/** @type {AppWithSecret | null} */ (null));
  const [busy, replace] = useAction(async () => setReplaced(await post(`/apps/${app.id}/secret`, {})));
  const form = useForm({ name: app.name, redirectUris: app.redirectUris.join("\n") }, async (values) => {
    await patch(`/apps/${app.id}`, { ...values, redirectUris: listed(values.redirectUris) });
    onClose();
  });
  if (replaced) return html`<${Secret} app=${replaced} onClose=${onClose} />`;
  return html`
    <${FormDialog}
      title=${t("Change {name}", { name: app.name })}
      form=${form}
      submit=${t("Save")}
      onClose=${onClose}
    >
      <${Fields} form=${form} />
      ${app.type === "confidential" && html`
        <p>
          <${Button} busy=${busy} onClick=${replace}>
            ${t("Replace the secret")}
          <//>
        </p>
        <p class="soft">${t("The secret that it has now stops working at once.")}</p>
      `}
    <//>
  `;
}

/** @param {{app: App, onClose: () => void}} props */
function DeleteApp({ app, onClose }) {
  const act = async () => {
    await remove(`/apps/${app.id}`);
    toast(t("The app is deleted."));
    onClose();
  };
  return html`
    <${ConfirmDialog}
      title=${t("Delete {name}?", { name: app.name })}
      confirm=${t("Delete")}
      act=${act}
      onClose=${onClose}
    >
      <p>
        ${t("Nothing that people have allowed it works any more, in any workspace. This cannot be undone.")}
      </p>
    <//>
  `;
}
