// Who works here and what each may do; the workspace itself; what was done by whom.
import { html } from "../html.js";
import { get } from "../api.js";
import { t } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { isAdmin } from "../rights.js";
import { Time } from "../time.js";
import { List } from "../components/list.js";
import { Page } from "../components/page.js";
import { Tabs } from "../components/tabs.js";
import { sentence } from "../post-parts.js";
import { Members } from "./team-members.js";
import { Workspace } from "./team-workspace.js";

/** @param {{id: string, query: Record<string, string>}} props */
export default function Team({ id, query }) {
  const tabs = [
    ["", t("Members")],
    ["workspace", t("Workspace")],
    ...(isAdmin() ? [["history", t("History")]] : []),
  ];
  const content =
    id === "workspace" ? html`
      <${Workspace} />
    ` : id === "history" && isAdmin() ? html`
      <${History} />
    ` : html`
      <${Members} isInviting=${Boolean(query.invite)} />
    `;
  return html`
    <${Page} title=${t("Team")}>
      <${Tabs} label=${t("Team")} path="team" current=${id} tabs=${tabs} />
      ${content}
    <//>
  `;
}

/** @typedef {import("signalpost/api").Schemas["AuditLogEntry"]} AuditEntry */

function History() {
  const loaded = useLoad(() => get("/audit", { limit: 100 }), []);
  return html`
    <${List}
      loaded=${loaded}
      label=${t("History")}
      columns=${[t("What"), t("Who"), t("Subject"), t("From"), t("Time")]}
      row=${(/** @type {AuditEntry} */ entry) => ({
        key: entry.id,
        cells: [
          html`<span lang="en">${sentence(entry.action)}</span>`,
          entry.actor.name ?? entry.actor.type,
          entry.subject && html`<code>${entry.subject}</code>`,
          entry.address ?? "–",
          html`<${Time} at=${entry.at} />`,
        ],
      })}
    />
  `;
}
