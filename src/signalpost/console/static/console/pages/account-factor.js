// The second factor: an authenticator app whose codes are asked for at the sign-in.
import { html, useState } from "../html.js";
import { post } from "../api.js";
import { Button } from "../components/button.js";
import { Copy } from "../components/copy.js";
import { Dialog } from "../components/dialog.js";
import { Field } from "../components/field.js";
import { Card } from "../components/page.js";
import { toast } from "../components/toasts.js";
import { useAction } from "../hooks.js";
import { t } from "../i18n.js";
import { me, reloadMe } from "../store.js";
import { lazy } from "../components/lazy.js";
import { useRefusal } from "./account-refusal.js";

/** @typedef {import("signalpost/api").Schemas["TotpEnrolment"]} TotpEnrolment */

const Qr = lazy(() => import("../components/qr.js"), 6);

export function SecondFactor() {
  const [open, setOpen] = useState(false);
  const isOn = me.value.user.totpEnabled;
  const close = () => setOpen(false);
  return html`
    <${Card} title=${t("Second factor")}>
      <p>
        ${isOn
          ? t("Signing in asks for a code of your authenticator app.")
          : t("With an app that shows codes, a stolen password is not enough to sign in.")}
      </p>
      <${Button} kind=${isOn ? "danger" : "plain"} onClick=${() => setOpen(true)}>
        ${isOn ? t("Switch it off") : t("Set it up")}
      <//>
      ${open && (isOn ? html`<${SwitchOff} onClose=${close} />` : html`<${SetUp} onClose=${close} />`)}
    <//>
  `;
}

/**
 * Three steps: the password, the secret with its first code, the recovery codes.
 * @param {{onClose: () => void}} props
 */
function SetUp({ onClose }) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [enrolment, setEnrolment] = useState(/** @type {TotpEnrolment | null} */ (null));
  const [codes, setCodes] = useState(/** @type {string[]} */ ([]));
  const [refusal, attempt] = useRefusal();
  const finish = () => {
    onClose();
    if (codes.length) void reloadMe();
  };
  const [busy, next] = useAction(() =>
    attempt(async () => {
      if (codes.length) finish();
      else if (!enrolment) setEnrolment(await post("/auth/totp", { password }, { key: "" }));
      else setCodes((await post("/auth/totp/confirm", { code }, { key: "" })).recoveryCodes);
    }),
  );
  return html`
    <${Dialog}
      title=${t("Second factor")}
      onClose=${finish}
      onSubmit=${next}
      actions=${
        html`<${Button} kind="primary" type="submit" busy=${busy}>
          ${codes.length ? t("I have kept the codes") : t("Next")}
        <//>`
      }
    >
      ${codes.length ? html`
        <p>
          ${t(
            "It is on. If you lose the device, each of these codes lets you in once. Keep them elsewhere.",
          )}
        </p>
        <pre tabindex="0">${codes.join("\n")}</pre>
        <${Copy} text=${codes.join("\n")} />
      ` : enrolment ? html`
        <${Scan} enrolment=${enrolment} />
        <${Field}
          key="code"
          label=${t("Code of the app")}
          autocomplete="one-time-code"
          inputmode="numeric"
          value=${code}
          onInput=${setCode}
          error=${refusal.code ?? refusal.currentPassword}
          autofocus
        />
      ` : html`
        <${Field}
          key="password"
          label=${t("Password")}
          type="password"
          autocomplete="current-password"
          value=${password}
          onInput=${setPassword}
          error=${refusal.currentPassword}
          autofocus
        />
      `}
    <//>
  `;
}

/** @param {{enrolment: TotpEnrolment}} props */
const Scan = ({ enrolment }) => html`
  <p>
    ${t(
      "Scan this with your authenticator app, or enter the key in it. Then enter the code that it shows.",
    )}
  </p>
  <${Qr} text=${enrolment.uri} label=${t("Code to scan with a phone")} />
  <p>
    <code>${enrolment.secret.match(/.{1,4}/g)?.join(" ")}</code>
    <${Copy} text=${enrolment.secret} />
  </p>
`;

/** @param {{onClose: () => void}} props */
function SwitchOff({ onClose }) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [refusal, attempt] = useRefusal();
  const [busy, end] = useAction(() =>
    attempt(async () => {
      await post("/auth/totp/disable", { password, code }, { key: "" });
      toast(t("Signing in asks for the password only."));
      onClose();
      await reloadMe();
    }),
  );
  return html`
    <${Dialog}
      title=${t("Switch off the second factor?")}
      onClose=${onClose}
      onSubmit=${end}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Cancel")}<//>
          <${Button} kind="danger" type="submit" busy=${busy}>
            ${t("Switch it off")}
          <//>
        `
      }
    >
      <${Field}
        label=${t("Password")}
        type="password"
        autocomplete="current-password"
        value=${password}
        onInput=${setPassword}
        error=${refusal.currentPassword}
        autofocus
      />
      <${Field}
        label=${t("Code of the app, or a recovery code")}
        autocomplete="one-time-code"
        value=${code}
        onInput=${setCode}
        error=${refusal.code}
      />
    <//>
  `;
}
