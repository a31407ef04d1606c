// Feature flags: for whom each is on.
import { html, useState } from "../html.js";
import { get, patch } from "../api.js";
import { number, t } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { Time } from "../time.js";
import { Badge } from "../components/badge.js";
import { Button } from "../components/button.js";
import { CheckList } from "../components/check-list.js";
import { Empty } from "../components/empty.js";
import { Check, Field } from "../components/field.js";
import { FormDialog, listed, useForm } from "../components/form.js";
import { Loaded } from "../components/loaded.js";
import { Table } from "../components/table.js";
import { toast } from "../components/toasts.js";

/** @typedef {import("signalpost/api").Schemas["FeatureFlag"]} FeatureFlag */

const PLANS = ["free", "starter", "pro", "max", "self_hosted"];

/** For whom a flag is on, in words. @param {FeatureFlag} flag */
function audience(flag) {
  if (!flag.enabled) return t("no one");
  if (flag.rolloutPercent === 100) return t("everybody");
  const { plans, workspaceIds, userIds } = flag.rules;
  const parts = [
    flag.rolloutPercent > 0 && t("{n} % of the workspaces", { n: number(flag.rolloutPercent) }),
    plans.length > 0 && t("plans: {names}", { names: plans.join(", ") }),
    workspaceIds.length > 0 && t("named workspaces: {n}", { n: number(workspaceIds.length) }),
    userIds.length > 0 && t("named users: {n}", { n: number(userIds.length) }),
  ].filter(Boolean);
  return parts.join(" · ") || t("no one");
}

export default function Flags() {
  const loaded = useLoad(() => get("/admin/feature-flags"), []);
  const [changing, setChanging] = useState(/** @type {FeatureFlag | null} */ (null));
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

/** @typedef {import("signalpost/api").Schemas["FeatureFlag"]} Flag */

/** @param {{flag: Flag, onClose: () => void}} props */
function Change({ flag, onClose }) {
  const form = useForm(
    {
      enabled: flag.enabled,
      rolloutPercent: String(flag.rolloutPercent),
      plans: flag.rules.plans,
      workspaceIds: flag.rules.workspaceIds.join("\n"),
      userIds: flag.rules.userIds.join("\n"),
      description: flag.description,
    },
    async (values) => {
      await patch(`/admin/feature-flags/${flag.key}`, {
        enabled: values.enabled,
        rolloutPercent: Number(values.rolloutPercent),
        rules: {
          plans: values.plans,
          workspaceIds: listed(values.workspaceIds),
          userIds: listed(values.userIds),
        },
        ...(values.description === flag.description ? {} : { description: values.description || null }),
      });
      toast(t("Saved. Every process follows within five seconds."));
      onClose();
    },
  );
  return html`
    <${FormDialog} title=${flag.name} form=${form} submit=${t("Save")} onClose=${onClose}>
      <${Check}
        label=${t("Enabled")}
        hint=${t("Off: for nobody, whatever the rest says.")}
        ...${form.check("enabled")}
      />
      <${Field}
        label=${t("Share of the workspaces, in percent")}
        type="number"
        min="0"
        max="100"
        hint=${t("A larger share keeps those who have it already.")}
        ...${form.field("rolloutPercent")}
      />
      <fieldset>
        <legend class="legend">${t("Besides, for these plans")}</legend>
        <${CheckList} options=${PLANS.map((plan) => [plan, plan])} ...${form.field("plans")} />
      </fieldset>
      <${Field}
        label=${t("For these workspaces")}
        rows=${2}
        placeholder="wsp_…"
        ...${form.field("workspaceIds")}
      />
      <${Field} label=${t("For these users")} rows=${2} placeholder="usr_…" ...${form.field("userIds")} />
      <${Field}
        label=${t("Description")}
        rows=${2}
        maxlength="500"
        hint=${t("Empty: as this version declares it.")}
        ...${form.field("description")}
      />
    <//>
  `;
}
