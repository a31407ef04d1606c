// Feature flags: for whom each is on.
import { html, useState } from "../html.js";
import { get, patch } from "../api.js";
import { number, t } from "../i18n.js";
import { Time } from "../time.js";
import { useAction, useLoad } from "../hooks.js";
import { Badge } from "../components/badge.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Empty } from "../components/empty.js";
import { Check, Field } from "../components/field.js";
import { Loaded } from "../components/loaded.js";
import { ProblemBox } from "../components/problem-box.js";
import { Table } from "../components/table.js";
import { toast } from "../components/toasts.js";

const PLANS = ["free", "starter", "pro", "max", "self_hosted"];

/** For whom a flag is on, in words. @param {any} flag */
function audience(flag) {
  if (!flag.enabled) return t("nobody");
  if (flag.rolloutPercent === 100) return t("everybody");
  const { plans, workspaceIds, userIds } = flag.rules;
  const parts = [
    flag.rolloutPercent > 0 && t("{n} % of the workspaces", { n: number(flag.rolloutPercent) }),
    plans.length > 0 && t("plans: {names}", { names: plans.join(", ") }),
    workspaceIds.length > 0 && t("named workspaces: {n}", { n: number(workspaceIds.length) }),
    userIds.length > 0 && t("named users: {n}", { n: number(userIds.length) }),
  ].filter(Boolean);
  return parts.join(" · ") || t("nobody");
}

export default function Flags() {
  const loaded = useLoad(() => get("/admin/feature-flags"), []);
  const [changing, setChanging] = useState(/** @type {any} */ (null));
  return html`
    <${Loaded} loaded=${loaded} lines=${6}>
      ${(/** @type {typeof loaded.data} */ page) =>
        page.data.length ? html`
          <${Table}
            label=${t("Flags")}
            columns=${[t("Flag"), t("State"), t("On for"), t("Changed"), ""]}
            rows=${page.data.map((flag) => ({
              key: flag.key,
              cells: [
                html`<span>
                  <strong>${flag.name}</strong>
                  <br />
                  <code class="soft">${flag.key}</code>
                  <br />
                  <span class="soft small">${flag.description}</span>
                </span>`,
                html`<${Badge} state=${flag.enabled ? "active" : "paused"} />`,
                html`<span class=${flag.enabled && flag.rolloutPercent < 100 ? "" : "nowrap"}>
                  ${audience(flag)}
                </span>`,
                flag.updatedAt ? html`
                  <span>
                    <${Time} at=${flag.updatedAt} kind="relative" />
                    <br />
                    <span class="soft small">${flag.updatedBy?.name ?? ""}</span>
                  </span>
                ` : html`
                  <span class="soft">${t("never")}</span>
                `,
                html`<${Button}
                  aria-label=${t("Change {name}", { name: flag.name })}
                  onClick=${() => setChanging(flag)}
                >
                  ${t("Change")}
                <//>`,
              ],
            }))}
          />
        ` : html`
          <${Empty} title=${t("This version has no flags")} icon="admin" />
        `
      }
    <//>
    ${changing && html`
      <${Change}
        flag=${changing}
        onClose=${() => {
          setChanging(null);
          void loaded.reload();
        }}
      />
    `}
  `;
}

/** @param {string} text */
const listed = (text) => text.split(/[\s,]+/).filter(Boolean);

/** @param {{flag: any, onClose: () => void}} props */
function Change({ flag, onClose }) {
  const [fields, setFields] = useState({
    enabled: flag.enabled,
    rolloutPercent: String(flag.rolloutPercent),
    plans: flag.rules.plans,
    workspaceIds: flag.rules.workspaceIds.join("\n"),
    userIds: flag.rules.userIds.join("\n"),
    description: flag.description,
  });
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const set = (/** @type {string} */ name) => (/** @type {any} */ value) =>
    setFields({ ...fields, [name]: value });
  const errorOf = (/** @type {string} */ name) =>
    problem?.issues?.find((/** @type {any} */ issue) => issue.path.includes(name))?.message;
  const [busy, save] = useAction(async () => {
    setProblem(null);
    const rules = {
      plans: fields.plans,
      workspaceIds: listed(fields.workspaceIds),
      userIds: listed(fields.userIds),
    };
    try {
      await patch(`/admin/feature-flags/${flag.key}`, {
        enabled: fields.enabled,
        rolloutPercent: Number(fields.rolloutPercent),
        rules,
        ...(fields.description === flag.description ? {} : { description: fields.description || null }),
      });
      toast(t("Saved. Every process follows within five seconds."));
      onClose();
    } catch (error) {
      setProblem(error);
    }
  });
  return html`
    <${Dialog}
      title=${flag.name}
      onClose=${onClose}
      onSubmit=${save}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Cancel")}<//>
          <${Button} kind="primary" type="submit" busy=${busy}>
            ${t("Save")}
          <//>
        `
      }
    >
      ${problem && html`<${ProblemBox} problem=${problem} />`}
      <${Check}
        label=${t("Enabled")}
        hint=${t("Off: for nobody, whatever the rest says.")}
        checked=${fields.enabled}
        onChange=${set("enabled")}
      />
      <${Field}
        label=${t("Share of the workspaces, in percent")}
        type="number"
        min="0"
        max="100"
        value=${fields.rolloutPercent}
        error=${errorOf("rolloutPercent")}
        onInput=${set("rolloutPercent")}
        hint=${t("A larger share keeps those who have it already.")}
      />
      <fieldset>
        <legend class="legend">${t("Besides, for these plans")}</legend>
        ${PLANS.map((plan) => html`
          <${Check}
            key=${plan}
            label=${plan}
            checked=${fields.plans.includes(plan)}
            onChange=${(/** @type {boolean} */ on) =>
              set("plans")(
                on
                  ? [...fields.plans, plan]
                  : fields.plans.filter((/** @type {string} */ key) => key !== plan),
              )
            }
          />
        `)}
      </fieldset>
      <${Field}
        label=${t("For these workspaces")}
        rows=${2}
        placeholder="wsp_…"
        value=${fields.workspaceIds}
        error=${errorOf("workspaceIds")}
        onInput=${set("workspaceIds")}
      />
      <${Field}
        label=${t("For these users")}
        rows=${2}
        placeholder="usr_…"
        value=${fields.userIds}
        error=${errorOf("userIds")}
        onInput=${set("userIds")}
      />
      <${Field}
        label=${t("Description")}
        rows=${2}
        maxlength="500"
        value=${fields.description}
        error=${errorOf("description")}
        onInput=${set("description")}
        hint=${t("Empty: as this version declares it.")}
      />
    <//>
  `;
}
