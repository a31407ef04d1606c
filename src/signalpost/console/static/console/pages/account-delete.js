// The end of my account: what goes, what stays, and what I own and have to decide about before.
import { html, useState } from "../html.js";
import { all, Problem, post, ROOT } from "../api.js";
import { Button } from "../components/button.js";
import { CheckList } from "../components/check-list.js";
import { Field } from "../components/field.js";
import { FormDialog, useForm } from "../components/form.js";
import { Card } from "../components/page.js";
import { useLoad } from "../hooks.js";
import { language, t } from "../i18n.js";
import { to } from "../router.js";
import { me } from "../store.js";
import { useDownload } from "./account-data.js";
import { useRefusal } from "./account-refusal.js";

/** @typedef {import("signalpost/api").Schemas["Workspace"]} Workspace */

export default function DeleteMe() {
  const [open, setOpen] = useState(false);
  return html`
    <${Card} title=${t("Delete my account")}>
      <p class="soft">
        ${t("You leave every workspace, and nothing lets you in any more. This cannot be undone.")}
      </p>
      <${Button} kind="danger" onClick=${() => setOpen(true)}>
        ${t("Delete my account")}
      <//>
      ${open && html`<${Delete} onClose=${() => setOpen(false)} />`}
    <//>
  `;
}

const EMPTY = { email: "", password: "", code: "", deleteWorkspaces: /** @type {string[]} */ ([]) };

/** @param {{onClose: () => void}} props */
function Delete({ onClose }) {
  const { user } = me.value;
  const [refusal, attempt] = useRefusal();
  const form = useForm(EMPTY, ({ password, code, ...body }) =>
    attempt(async () => {
      await post(
        "/auth/me/delete",
        { ...body, password: password || undefined, code: code || undefined },
        { key: "" },
      ).catch(explained);
      localStorage.removeItem("workspace");
      location.assign(`${ROOT}/login?${new URLSearchParams({ deleted: "account", lang: language.value })}`);
    }),
  );
  return html`
    <${FormDialog}
      title=${t("Delete my account?")}
      form=${form}
      kind="danger"
      submit=${t("Delete my account")}
      cancel=${t("Keep it")}
      onClose=${onClose}
    >
      <${WhatGoes} />
      <${Owned} value=${form.values.deleteWorkspaces} form=${form} />
      <${Field}
        label=${t("Type your e-mail address: {email}", { email: user.email })}
        autocomplete="off"
        autofocus
        ...${form.field("email")}
      />
      <${Field}
        label=${t("Password")}
        hint=${t("Have none? Leave it empty, and sign in with your provider just before this.")}
        type="password"
        autocomplete="current-password"
        ...${form.field("password")}
        error=${refusal.currentPassword}
      />
      ${user.totpEnabled && html`
        <${Field}
          label=${t("Code of the app, or a recovery code")}
          autocomplete="one-time-code"
          ...${form.field("code")}
          error=${refusal.code}
        />
      `}
    <//>
  `;
}

function WhatGoes() {
  const [busy, download] = useDownload();
  return html`
    <p>
      ${t(
        "Gone at once: where you are signed in, your password and second factor, the keys and links that you made, and your phone.",
      )}
    </p>
    <p>
      ${t(
        "What you made for a workspace stays there, and within the hour without your name. Only its history keeps your name, for as long as it keeps entries: nobody can change it.",
      )}
    </p>
    <p>
      <${Button} busy=${busy} onClick=${download}>
        ${t("Download my data")}
      <//>
    </p>
  `;
}

/**
 * Workspaces cannot be without an owner: each is handed over before, or deleted with the account.
 * @param {{value: string[], form: import("../components/form.js").FormOf<typeof EMPTY>}} props
 */
function Owned({ value, form }) {
  const loaded = useLoad(() => all("/workspaces"), []);
  const owned = (loaded.data ?? []).filter((/** @type {Workspace} */ { role }) => role === "owner");
  if (!owned.length) return null;
  return html`
    <fieldset>
      <legend>
        <strong>${t("Workspaces that you own")}</strong>
      </legend>
      <p>
        ${t("Tick those that are deleted with your account. Hand the others over before:")}${" "}
        <a href=${to("team")}>${t("Go to Team")}</a>
      </p>
      <${CheckList}
        options=${owned.map((/** @type {Workspace} */ { id, name }) => [id, name])}
        value=${value}
        onInput=${(/** @type {string[]} */ chosen) => form.change({ deleteWorkspaces: chosen })}
      />
    </fieldset>
  `;
}

/** Whoever has no password signs in again; no role is in the way here. @param {unknown} problem */
function explained(problem) {
  if (problem instanceof Problem && problem.code === "forbidden")
    throw t(
      "Enter your password. If you have none: sign out, sign in again, and repeat this within 15 minutes.",
    );
  throw problem;
}
