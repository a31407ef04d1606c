// A program without a browser asks for an API key: who asks, what it may do, yes or no.
import { html, useState } from "../html.js";
import { post } from "../api.js";
import { Button } from "../components/button.js";
import { CheckList } from "../components/check-list.js";
import { Empty } from "../components/empty.js";
import { Field } from "../components/field.js";
import { useForm } from "../components/form.js";
import { Loaded } from "../components/loaded.js";
import { Card, Page } from "../components/page.js";
import { ProblemBox } from "../components/problem-box.js";
import { profileOptions } from "../components/profile-field.js";
import { useLoad } from "../hooks.js";
import { Icon } from "../icons.js";
import { t } from "../i18n.js";
import { filter, to } from "../router.js";
import { chooseWorkspace, loadProfiles, may, me, workspaces } from "../store.js";
import { Time } from "../time.js";

/** @typedef {import("signalpost/api").Schemas["DeviceLogin"]} DeviceLogin */
/** @typedef {import("signalpost/api").Schemas["DeviceLoginApprove"]} Approval */

const READS = [
  "profiles:read",
  "accounts:read",
  "posts:read",
  "comments:read",
  "analytics:read",
  "webhooks:read",
];
const WRITES = [
  "posts:write",
  "posts:publish",
  "comments:write",
  "media:write",
  "accounts:write",
  "webhooks:write",
];
/** What a choice grants; null: all that the person may do. @type {Record<string, string[] | null>} */
const SCOPES = { publish: [...READS, ...WRITES], read: READS, all: null };
const INITIAL = { scopes: "publish", mode: "live", profileIds: /** @type {string[]} */ ([]) };

/** @param {{query: Record<string, string>}} props */
export default function Device({ query }) {
  const [outcome, setOutcome] = useState("");
  return html`
    <${Page} title=${t("Sign in a terminal")}>
      ${outcome ? html`
        <${Card}>
          <p role="status">${outcome}</p>
        <//>
      ` : !may("keys:write") ? html`
        <${Empty} title=${t("Your role has no API keys")} icon="developers">
          ${t("Ask an admin of the workspace for another role.")}
        <//>
      ` : query.code ? html`
        <${Login} key=${query.code} code=${query.code} onDone=${setOutcome} />
      ` : html`
        <${Code} />
      `}
    <//>
  `;
}

function Code() {
  const form = useForm({ code: "" }, async ({ code }) => filter({ code: code.trim() }));
  return html`
    <${Card}>
      <form
        onSubmit=${(/** @type {Event} */ event) => {
          event.preventDefault();
          void form.submit();
        }}
      >
        <${Field}
          label=${t("Code in the terminal")}
          hint=${t("Eight letters, such as WDJB-MJHT. “sp login” shows it.")}
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          maxlength="32"
          required
          ...${form.field("code")}
        />
        <${Button} kind="primary" type="submit" busy=${form.busy}>
          ${t("Continue")}
        <//>
      </form>
    <//>
  `;
}

/** @param {{code: string, onDone: (outcome: string) => void}} props */
function Login({ code, onDone }) {
  const loaded = useLoad(async () => {
    const [login] = await Promise.all([
      post("/device-logins/lookup", { userCode: code }, { key: "" }),
      loadProfiles(),
    ]);
    return login;
  }, []);
  return html`
    <${Loaded} loaded=${loaded} lines=${6}>
      ${(/** @type {DeviceLogin} */ login) => html`
        <${Decision} code=${code} login=${login} onDone=${onDone} />
      `}
    <//>
    ${loaded.problem && html`
      <p>
        <a href=${to("device")}>${t("Enter another code")}</a>
      </p>
    `}
  `;
}

/** @param {{code: string, login: DeviceLogin, onDone: (outcome: string) => void}} props */
function Decision({ code, login, onDone }) {
  const form = useForm(INITIAL, async ({ scopes, mode, profileIds }) => {
    const granted = SCOPES[scopes]?.filter(may);
    const terms = { mode, ...(granted && { scopes: granted }), ...(profileIds.length && { profileIds }) };
    await post("/device-logins/approve", /** @type {Approval} */ ({ userCode: code, ...terms }), {
      key: "",
    });
    onDone(t("Done. The terminal has its key in a few seconds; you can close this page."));
  });
  const refusal = useForm({}, async () => {
    await post("/device-logins/refuse", { userCode: code }, { key: "" });
    onDone(t("Refused. The terminal gets no key."));
  });
  const problem = form.problem || refusal.problem;
  return html`
    <${Who} code=${code} login=${login} />
    <${Card} title=${t("What it may do")}>
      <${Terms} code=${code} form=${form} />
      ${problem && html`<${ProblemBox} problem=${problem} />`}
      <div class="actions">
        <${Button} kind="primary" icon="check" busy=${form.busy} onClick=${form.submit}>
          ${t("Grant the key")}
        <//>
        <${Button} kind="danger" busy=${refusal.busy} onClick=${refusal.submit}>
          ${t("Refuse")}
        <//>
      </div>
    <//>
  `;
}

/** @param {{code: string, login: DeviceLogin}} props */
function Who({ code, login }) {
  return html`
    <${Card} title=${t("A terminal asks for an API key")}>
      <div class="notice warn">
        <${Icon} name="warn" />
        <p>
          <strong>
            ${t(
              "Grant it only if you typed “sp login” yourself just now, and your terminal shows this very code.",
            )}
          </strong>${" "}
          ${t("Someone who sent you this link or code would act in your name.")}
        </p>
      </div>
      <dl class="facts">
        <dt>${t("Code")}</dt>
        <dd>
          <strong>
            <code>${code.toUpperCase()}</code>
          </strong>
        </dd>
        <dt>${t("It calls itself")}</dt>
        <dd>
          <bdi>${login.deviceName}</bdi>
        </dd>
        <dt>${t("It asks from")}</dt>
        <dd>
          <code>${login.address}</code>
        </dd>
        <dt>${t("Since")}</dt>
        <dd>
          <${Time} at=${login.createdAt} kind="relative" />
        </dd>
      </dl>
    <//>
  `;
}

/** @param {{code: string, form: import("../components/form.js").FormOf<typeof INITIAL>}} props */
function Terms({ code, form }) {
  const clients = profileOptions();
  return html`
    ${workspaces.value.length > 1 && html`
      <${Field}
        label=${t("Workspace")}
        options=${workspaces.value.map(({ id, name }) => [id, name])}
        value=${me.value.workspace.id}
        onInput=${(/** @type {string} */ id) =>
          chooseWorkspace(id, `/device?code=${encodeURIComponent(code)}`)
        }
      />
    `}
    <${Field}
      label=${t("Rights")}
      options=${[
        ["publish", t("Write and publish posts, connect accounts, webhooks")],
        ["read", t("Read only")],
        ["all", t("All that I may do")],
      ]}
      ...${form.field("scopes")}
    />
    <${Field}
      label=${t("Kind")}
      options=${[
        ["live", t("Live: publishes for real")],
        ["test", t("Test: only the sandbox")],
      ]}
      ...${form.field("mode")}
    />
    ${clients.length > 1 && html`
      <fieldset>
        <legend>${t("Clients")}</legend>
        <p class="hint">${t("Without a choice: all that you see, also later ones.")}</p>
        <${CheckList} options=${clients} ...${form.field("profileIds")} />
      </fieldset>
    `}
  `;
}
