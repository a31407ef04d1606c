// What else acts or lets in for me: API keys that I made, my phone, the provider of the sign-in; and leaving.
import { html, useState } from "../html.js";
import { all, get, post } from "../api.js";
import { Badge } from "../components/badge.js";
import { Button, LinkButton } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Field } from "../components/field.js";
import { List } from "../components/list.js";
import { Card } from "../components/page.js";
import { toast } from "../components/toasts.js";
import { useAction, useLoad } from "../hooks.js";
import { t } from "../i18n.js";
import { to } from "../router.js";
import { may, me } from "../store.js";
import { Time } from "../time.js";
import { useRefusal } from "./account-refusal.js";

/** @typedef {import("signalpost/api").Schemas["ApiKey"]} ApiKey */

export default function Access() {
  return html`
    ${may("keys:write") && html`<${Keys} />`}
    <${Provider} />
  `;
}

function Keys() {
  const loaded = useLoad(() => all("/api-keys", { mine: true }), []);
  return html`
    <${Card}
      title=${t("API keys that I made")}
      actions=${
        html`<${LinkButton} href=${to("developers")} icon="developers">
          ${t("All keys")}
        <//>`
      }
    >
      <p class="soft">${t("They act with your rights, as long as you have them.")}</p>
      <${List}
        loaded=${loaded}
        label=${t("API keys that I made")}
        columns=${[t("Name"), t("Key"), t("Last used"), t("State")]}
        empty=${html`<p>${t("None.")}</p>`}
        row=${(/** @type {ApiKey} */ key) => ({
          key: key.id,
          cells: [
            html`<strong dir="auto">${key.name}</strong>`,
            html`<code>${key.prefix}…</code>`,
            html`<${Time} at=${key.lastUsedAt} kind="relative" />`,
            html`<${Badge} state=${key.status} />`,
          ],
        })}
      />
    <//>
  `;
}

function Provider() {
  const loaded = useLoad(async () => {
    const { oidc } = await get("/auth/options");
    return oidc ? { label: oidc.label, ...(await get("/auth/oidc")) } : null;
  }, []);
  const [open, setOpen] = useState(false);
  const provider = loaded.data;
  if (!provider) return null;
  const { label: name, linked, lastUsedAt } = provider;
  const email = provider.email ?? me.value.user.email;
  return html`
    <${Card} title=${t("Sign-in provider")}>
      <p>
        ${linked
          ? t("You sign in with {name} as {email}.", { name, email })
          : t("You can also sign in with {name}, with the address {email}.", { name, email })}
      </p>
      ${linked && html`
        <p class="soft">
          ${t("Last used")}: <${Time} at=${lastUsedAt} kind="relative" />
        </p>
        <${Button} kind="danger" onClick=${() => setOpen(true)}>
          ${t("Unlink it")}
        <//>
      `}
      ${open && html`
        <${Unlink}
          name=${name}
          onClose=${() => {
            setOpen(false);
            void loaded.reload();
          }}
        />
      `}
    <//>
  `;
}

/** @param {{name: string, onClose: () => void}} props */
function Unlink({ name, onClose }) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [refusal, attempt] = useRefusal();
  const [busy, end] = useAction(() =>
    attempt(async () => {
      await post("/auth/oidc/unlink", { password, code: code || undefined }, { key: "" });
      toast(t("You sign in with your password only."));
      onClose();
    }),
  );
  return html`
    <${Dialog}
      title=${t("Unlink {name}?", { name })}
      onClose=${onClose}
      onSubmit=${end}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Cancel")}<//>
          <${Button} kind="danger" type="submit" busy=${busy}>
            ${t("Unlink it")}
          <//>
        `
      }
    >
      <p>
        ${t(
          "You then sign in with your password. If you have none, choose one first: sign out, and ask for a new password.",
        )}
      </p>
      <${Field}
        label=${t("Password")}
        type="password"
        autocomplete="current-password"
        value=${password}
        onInput=${setPassword}
        error=${refusal.currentPassword}
        autofocus
      />
      ${me.value.user.totpEnabled && html`
        <${Field}
          label=${t("Code of the app, or a recovery code")}
          autocomplete="one-time-code"
          value=${code}
          onInput=${setCode}
          error=${refusal.code}
        />
      `}
    <//>
  `;
}
