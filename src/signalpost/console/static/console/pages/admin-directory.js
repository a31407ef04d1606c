// Who uses the installation: workspaces and users, to be searched.
import { html } from "../html.js";
import { get } from "../api.js";
import { number, t } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { filter } from "../router.js";
import { Time } from "../time.js";
import { Badge } from "../components/badge.js";
import { Field } from "../components/field.js";
import { List, Search } from "./admin-list.js";

/** @typedef {import("signalpost/api").Schemas["AdminUser"]} AdminUser */
/** @typedef {import("signalpost/api").Schemas["AdminWorkspace"]} AdminWorkspace */

/** @param {{id: string, query: Record<string, string>}} props */
export default function Directory({ id, query }) {
  return id === "users" ? html`<${Users} query=${query} />` : html`<${Workspaces} query=${query} />`;
}

const submit = (/** @type {Event} */ event) => event.preventDefault();

/** @param {{query: Record<string, string>}} props */
function Workspaces({ query: { q = "", state = "" } }) {
  const query = { q, state, limit: 50 };
  const loaded = useLoad(() => get("/admin/workspaces", query), [q, state]);
  return html`
    <form class="row filters" role="search" onSubmit=${submit}>
      <${Search} label=${t("Name, address, owner's e-mail or id")} value=${q} />
      <${Field}
        label=${t("State")}
        value=${state}
        options=${[
          ["", t("All states")],
          ["active", t("Active")],
          ["deleted", t("Deleted")],
        ]}
        onInput=${(/** @type {string} */ value) => filter({ state: value })}
      />
    </form>
    <${List}
      loaded=${loaded}
      path="/admin/workspaces"
      query=${query}
      label=${t("Workspaces")}
      columns=${[
        t("Workspace"),
        t("Owner"),
        t("Plan"),
        t("Members"),
        t("Accounts"),
        t("State"),
        t("Since"),
      ]}
      numbers=${[3, 4]}
      empty=${t("No workspace matches.")}
      row=${(/** @type {AdminWorkspace} */ workspace) => ({
        key: workspace.id,
        cells: [
          html`<span>
            <strong>${workspace.name}</strong>
            <br />
            <code class="soft small">${workspace.id}</code>
          </span>`,
          workspace.ownerEmail ?? "–",
          workspace.plan.replaceAll("_", " "),
          number(workspace.members),
          number(workspace.accounts),
          html`<${Badge} state=${workspace.state} />`,
          html`<${Time} at=${workspace.createdAt} kind="relative" />`,
        ],
      })}
    />
  `;
}

/** @param {{query: Record<string, string>}} props */
function Users({ query: { q = "", staff = "" } }) {
  const query = { q, staff, limit: 50 };
  const loaded = useLoad(() => get("/admin/users", query), [q, staff]);
  return html`
    <form class="row filters" role="search" onSubmit=${submit}>
      <${Search} label=${t("E-mail, name or id")} value=${q} />
      <${Field}
        label=${t("Kind")}
        value=${staff}
        options=${[
          ["", t("Everybody")],
          ["true", t("Staff")],
        ]}
        onInput=${(/** @type {string} */ value) => filter({ staff: value })}
      />
    </form>
    <${List}
      loaded=${loaded}
      path="/admin/users"
      query=${query}
      label=${t("Users")}
      columns=${[t("Person"), t("Kind"), t("Second factor"), t("Workspaces"), t("Since")]}
      numbers=${[3]}
      empty=${t("No user matches.")}
      row=${(/** @type {AdminUser} */ user) => ({
        key: user.id,
        cells: [
          html`<span>
            ${user.name && html`
              <strong>${user.name}</strong>
              <br />
              `}
            ${user.email}
            <br />
            <code class="soft small">${user.id}</code>
          </span>`,
          user.staff ? t("Staff") : t("User"),
          user.secondFactor ? t("yes") : t("no"),
          number(user.workspaces),
          html`<${Time} at=${user.createdAt} kind="relative" />`,
        ],
      })}
    />
  `;
}
