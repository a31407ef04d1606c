// Clients whose work has ended for now: to look at, and to restore.
import { html } from "../html.js";
import { patch } from "../api.js";
import { ClientMark } from "../components/avatar.js";
import { Button } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { Table } from "../components/table.js";
import { toast } from "../components/toasts.js";
import { useAction } from "../hooks.js";
import { t } from "../i18n.js";
import { to } from "../router.js";
import { loadBasics, may, profiles } from "../store.js";
import { Time } from "../time.js";

/** @typedef {import("../store.js").Profile} Profile */

export default function ArchivedClients() {
  const archived = (profiles.value ?? []).filter(({ archivedAt }) => archivedAt);
  if (!archived.length) {
    return html`
      <${Empty} title=${t("No client is archived")} icon="clients">
        ${t("Archive a client when its work has ended for now. Everything of it stays.")}
      <//>
    `;
  }
  return html`
    <${Table}
      label=${t("Archived clients")}
      columns=${[t("Client"), t("Archived"), t("Posts"), t("Analytics"), ""]}
      rows=${archived.map((client) => ({
        key: client.id,
        cells: [
          html`<span class="name">
            <${ClientMark} client=${client} />
            <span dir="auto">${client.name}</span>
          </span>`,
          html`<${Time} at=${client.archivedAt} />`,
          html`<${Show} page="posts" client=${client} />`,
          html`<${Show} page="analytics" client=${client} />`,
          may("profiles:write") && html`<${Restore} client=${client} />`,
        ],
      }))}
    />
  `;
}

/** @param {{page: string, client: Profile}} props */
function Show({ page, client }) {
  return html`
    <a href=${to(page, { profileId: client.id })}>
      ${t("Show")}
      <span class="hidden"> ${client.name}</span>
    </a>
  `;
}

/** @param {{client: Profile}} props */
function Restore({ client }) {
  const [busy, restore] = useAction(async () => {
    await patch(
      `/profiles/${client.id}`,
      { archived: false },
      { headers: { "If-Match": `"${client.version}"` } },
    );
    toast(t("{name} is restored.", { name: client.name }));
    await loadBasics(true);
  });
  return html`
    <${Button}
      aria-label=${t("Restore {name}", { name: client.name })}
      busy=${busy}
      onClick=${restore}
    >
      ${t("Restore")}
    <//>
  `;
}
