// The clients of a workspace: whoever accounts and posts belong to. The API calls them profiles.
import { html, useState } from "../html.js";
import { hasExtension } from "../api.js";
import { ClientMark } from "../components/avatar.js";
import { Button } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { lazy, lazyDialog } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { Page } from "../components/page.js";
import { Table } from "../components/table.js";
import { Tabs } from "../components/tabs.js";
import { useLoad } from "../hooks.js";
import { number, t } from "../i18n.js";
import { to } from "../router.js";
import { activeProfiles, loadBasics, may, profiles } from "../store.js";

/** @typedef {import("../store.js").Profile} Profile */

const Form = lazyDialog(() => import("./clients-form.js"));
const Archive = lazyDialog(() => import("./clients-archive.js"));
const Archived = lazy(() => import("./clients-archived.js"));
const Delete = lazyDialog(() => import("./clients-delete.js"));
const LinkPages = lazy(() => import("./clients-link-pages.js"));
const Links = lazy(() => import("./clients-links.js"));

/** @param {{id: string, part: string, query: Record<string, string>}} props */
export default function Clients({ id, part, query }) {
  const loaded = useLoad(() => loadBasics(true), []);
  const [editing, setEditing] = useState(/** @type {Profile | "new" | null} */ (query.new ? "new" : null));
  const [archiving, setArchiving] = useState(/** @type {Profile | null} */ (null));
  const [deleting, setDeleting] = useState(/** @type {Profile | null} */ (null));
  const close = () => {
    setEditing(null);
    setArchiving(null);
    setDeleting(null);
  };
  const add = html`
    <${Button} kind="primary" icon="plus" onClick=${() => setEditing("new")}>
      ${t("New client")}
    <//>
  `;
  return html`
    <${Page}
      title=${t("Clients")}
      subtitle=${t("Each has its own accounts, posts, time zone and rules.")}
      actions=${may("profiles:write") && add}
    >
      <${Tabs} label=${t("Clients")} path="clients" current=${id} tabs=${tabs(id)} />
      ${id === "links" ? html`
        <${Links} />
      ` : html`
        <${Loaded} loaded=${{ ...loaded, data: profiles.value ?? undefined }}>
          ${(/** @type {Profile[] & {cut?: boolean}} */ { cut }) =>
            id === "archived" ? html`
              <${Archived} />
            ` : id === "link-pages" ? html`
              <${LinkPages} part=${part} />
            ` : activeProfiles.value.length ? html`
              <${List} clients=${activeProfiles.value} cut=${cut} edit=${setEditing} />
            ` : html`
              <${Empty}
                title=${t("No client yet")}
                icon="clients"
                action=${may("profiles:write") && add}
              >
                ${t("A client holds the accounts of a brand, a shop or a person.")}
              <//>
            `
          }
        <//>
      `}
      ${editing && html`
        <${Form}
          client=${editing === "new" ? null : editing}
          onClose=${close}
          onArchive=${(/** @type {Profile} */ client) => {
            setEditing(null);
            setArchiving(client);
          }}
          onDelete=${(/** @type {Profile} */ client) => {
            setEditing(null);
            setDeleting(client);
          }}
        />
      `}
      ${archiving && html`<${Archive} client=${archiving} onClose=${close} />`}
      ${deleting && html`<${Delete} client=${deleting} onClose=${close} />`}
    <//>
  `;
}

/** @param {string} id @returns {[string, string][]} */
function tabs(id) {
  const hasArchived = (profiles.value?.length ?? 0) > activeProfiles.value.length;
  return [
    ["", t("Clients")],
    ["links", t("Links")],
    ...(hasExtension("link_pages")
      ? [/** @type {[string, string]} */ (["link-pages", t("Link pages")])]
      : []),
    ...(hasArchived || id === "archived"
      ? [/** @type {[string, string]} */ (["archived", t("Archived clients")])]
      : []),
  ];
}

/** @param {{clients: Profile[], cut?: boolean, edit: (client: Profile) => void}} props */
function List({ clients, cut, edit }) {
  return html`
    <${Table}
      label=${t("Clients")}
      columns=${[t("Client"), t("Accounts"), t("Time zone"), t("Approval"), t("Posts"), ""]}
      numbers=${[1]}
      rows=${clients.map((client) => ({
        key: client.id,
        cells: [
          html`<span class="name">
            <${ClientMark} client=${client} />
            <span dir="auto">${client.name}</span>
          </span>`,
          number(client.accountCount),
          html`<span dir="ltr" lang="en">
            ${client.timezone}
          </span>`,
          client.approvalRequired ? t("needed") : t("not needed"),
          html`<a href=${to("posts", { profileId: client.id })}>
            ${t("Show")}
            <span class="hidden"> ${client.name}</span>
          </a>`,
          may("profiles:write") && html`
            <${Button}
              aria-label=${t("Change {name}", { name: client.name })}
              onClick=${() => edit(client)}
            >
              ${t("Change")}
            <//>
          `,
        ],
      }))}
      cut=${cut}
    />
  `;
}
