// What is asked when the session has ended, or belongs to someone else.
import { html, useEffect, useState } from "./html.js";
import { ROOT, anotherUser, get, sessionEnded } from "./api.js";
import { Button } from "./components/button.js";
import { Dialog } from "./components/dialog.js";
import { Field } from "./components/field.js";
import { toastProblem } from "./components/toasts.js";
import { Icon } from "./icons.js";
import { t } from "./i18n.js";
import { me } from "./store.js";

export default function SessionDialog() {
  return anotherUser.value ? html`<${AnotherUser} />` : html`<${SignInAgain} />`;
}

/**
 * The session has ended: sign in without leaving the page, here or with the provider in another tab; nothing
 * typed is lost.
 */
function SignInAgain() {
  const [fields, setFields] = useState({ email: me.value?.user.email ?? "", password: "", code: "" });
  const [message, setMessage] = useState("");
  const [provider, setProvider] = useState(/** @type {{label: string, url: string} | null} */ (null));
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) =>
    setFields({ ...fields, [name]: value });
  const look = async () => {
    if (document.hidden) return;
    const response = await fetch(`${ROOT}/api/v1/auth/me`, { headers: { "X-Console": "1" } });
    if (!response.ok) return;
    if ((await response.json()).user.id === me.peek().user.id) sessionEnded.value = false;
    else location.reload(); // someone else: nothing of the first person is sent for them
  };
  useEffect(() => {
    get("/auth/options").then((options) => setProvider(options.oidc), toastProblem);
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  const submit = async () => {
    const response = await fetch(`${ROOT}/login`, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams(fields),
    });
    if (response.type === "opaqueredirect") await look();
    else setMessage(t("That is not right. Check e-mail, password and code."));
  };
  return html`
    <${Dialog}
      title=${t("Sign in again")}
      onClose=${() => location.reload()}
      onSubmit=${submit}
      actions=${
        html`<${Button} kind="primary" type="submit">
          ${t("Sign in")}
        <//>`
      }
    >
      <p>
        ${t("Your session has ended, or this needs your password once more. What you typed is still here.")}
      </p>
      ${provider && html`<${Provider} ...${provider} />`}
      <${Field}
        label=${t("E-mail")}
        type="email"
        autocomplete="username"
        value=${fields.email}
        onInput=${set("email")}
      />
      <${Field}
        label=${t("Password")}
        type="password"
        autocomplete="current-password"
        value=${fields.password}
        onInput=${set("password")}
        error=${message}
        autofocus
      />
      <${Field}
        label=${t("Code")}
        hint=${t("Only with a second factor")}
        autocomplete="one-time-code"
        value=${fields.code}
        onInput=${set("code")}
      />
    <//>
  `;
}

/** @param {{label: string, url: string}} props */
function Provider({ label, url }) {
  return html`
    <p>
      <a class="button plain" href=${url} target="_blank" rel="noopener">
        <${Icon} name="link" />
        <span>${t("Sign in with {name}", { name: label })}</span>
      </a>
    </p>
    <p class="soft">
      ${t("It opens in another tab. Come back here afterwards; this page goes on by itself.")}
    </p>
  `;
}

/**
 * Someone else has signed in: nothing that this page does is for them, so it goes on as theirs only from the
 * beginning.
 */
function AnotherUser() {
  const reload = () => location.reload();
  return html`
    <${Dialog}
      title=${t("Someone else is signed in")}
      onClose=${reload}
      onSubmit=${reload}
      actions=${
        html`<${Button} kind="primary" type="submit">
          ${t("Reload the page")}
        <//>`
      }
    >
      <p>
        ${t(
          "In this browser another person has signed in since. What you did last was not done. What you typed is kept for you, until you sign in again.",
        )}
      </p>
    <//>
  `;
}
