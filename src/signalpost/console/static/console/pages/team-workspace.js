// The workspace itself: its name, zone, addresses, and what it uses of the plan.
import { html, useState } from "../html.js";
import { get, patch } from "../api.js";
import { t } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { limitName } from "../limits.js";
import { isAdmin } from "../rights.js";
import { me, reloadMe, workspaces } from "../store.js";
import { Button } from "../components/button.js";
import { Field } from "../components/field.js";
import { useForm } from "../components/form.js";
import { lazy, lazyDialog } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { Card } from "../components/page.js";
import { ProblemBox } from "../components/problem-box.js";
import { toast } from "../components/toasts.js";

const Owner = lazy(() => import("./team-export.js"));
const NewWorkspace = lazyDialog(() => import("./team-new-workspace.js"));
const Leave = lazyDialog(() => import("./team-leave.js"));

export function Workspace() {
  return html`
    <div class="columns">
      <${Settings} />
      <${Usage} />
    </div>
    ${me.value.role === "owner" && html`<${Owner} />`}
    <${Others} />
  `;
}

/** What concerns more than this workspace. */
function Others() {
  const [open, setOpen] = useState("");
  const close = () => setOpen("");
  return html`
    <${Card} title=${t("Other workspaces")}>
      <div class="actions">
        <${Button} icon="plus" onClick=${() => setOpen("new")}>
          ${t("New workspace")}
        <//>
        ${me.value.role !== "owner" && html`
          <${Button} kind="danger" icon="logout" onClick=${() => setOpen("leave")}>
            ${t("Leave this workspace")}
          <//>
        `}
      </div>
      ${open === "new" && html`<${NewWorkspace} onClose=${close} />`}
      ${open === "leave" && html`<${Leave} onClose=${close} />`}
    <//>
  `;
}

function Settings() {
  /** @type {import("signalpost/api").Schemas["WorkspaceSummary"] & {redirectUrls?: string[]}} */
  const own =
    workspaces.value.find((candidate) => candidate.id === me.value.workspace.id) ?? me.value.workspace;
  const disabled = !isAdmin();
  const form = useForm(
    { name: own.name, timezone: own.timezone, redirectUrls: (own.redirectUrls ?? []).join("\n") },
    async ({ redirectUrls, ...values }) => {
      const lines = redirectUrls.split("\n").map((line) => line.trim());
      const saved = await patch(`/workspaces/${own.id}`, {
        ...values,
        redirectUrls: lines.filter(Boolean),
      });
      workspaces.value = workspaces.value.map((candidate) =>
        candidate.id === saved.id ? saved : candidate,
      );
      await reloadMe();
      toast(t("Saved."));
    },
  );
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    void form.submit();
  };
  const zones = new Set([form.values.timezone, "UTC", ...Intl.supportedValuesOf("timeZone")]);
  return html`
    <${Card} title=${t("Workspace")}>
      <form onSubmit=${submit}>
        ${form.problem && html`<${ProblemBox} problem=${form.problem} />`}
        <${Field} label=${t("Name")} disabled=${disabled} maxlength="100" ...${form.field("name")} />
        <${Field}
          label=${t("Time zone")}
          hint=${t("Times are shown in it. Posts that wait keep their moment.")}
          options=${[...zones].map((name) => [name, name])}
          disabled=${disabled}
          ...${form.field("timezone")}
        />
        <${Field}
          label=${t("Addresses to return to after connecting")}
          hint=${t("One per line; for programs that connect accounts.")}
          rows=${3}
          disabled=${disabled}
          ...${form.field("redirectUrls")}
        />
        ${!disabled && html`
          <${Button} kind="primary" type="submit" busy=${form.busy}>
            ${t("Save")}
          <//>
        `}
      </form>
    <//>
  `;
}

function Usage() {
  const usage = useLoad(() => get("/auth/usage"), []);
  const format = new Intl.NumberFormat();
  return html`
    <${Card} title=${t("Use of the plan")}>
      <${Loaded} loaded=${usage}>
        ${(/** @type {typeof usage.data} */ data) => html`
          <p class="soft">${data.plan}</p>
          <dl class="facts">
            ${Object.entries(data.usage).map(([name, used]) => {
              const limit = data.limits[/** @type {keyof typeof data.limits} */ (name)];
              return html`
                <dt>${limitName(name)}</dt>
                <dd>
                  ${format.format(used)} ${typeof limit === "number" ? `/ ${format.format(limit)}` : ""}
                </dd>
                `;
            })}
          </dl>
        `}
      <//>
    <//>
  `;
}
