// The link pages of clients: which client has one, and the one that is being changed.
import { html } from "../html.js";
import { all } from "../api.js";
import { t } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { to } from "../router.js";
import { activeProfiles, may } from "../store.js";
import { Badge } from "../components/badge.js";
import { ClientMark } from "../components/avatar.js";
import { lazy } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { Table } from "../components/table.js";

/** @typedef {import("signalpost/api").Schemas["LinkPage"]} LinkPage */
/** @typedef {import("../store.js").Profile} Profile */

const Editor = lazy(() => import("./clients-link-page.js"));
const PAGES_MAX = 500;

/** @param {{part?: string}} props `part`: the client whose page is changed */
export default function Pages({ part }) {
  const loaded = useLoad(() => all("/link-pages", {}, PAGES_MAX), []);
  const client = part && activeProfiles.value.find(({ id }) => id === part);
  return html`
    <${Loaded} loaded=${loaded}>
      ${(/** @type {LinkPage[]} */ pages) =>
        client ? html`
          <${Editor}
            key=${client.id}
            client=${client}
            page=${pages.find(({ profileId }) => profileId === client.id) ?? null}
            reload=${loaded.reload}
          />
        ` : html`
          <p class="soft">${t("The one link of a social profile leads to a page with all the others.")}</p>
          <${List} pages=${pages} />
        `
      }
    <//>
  `;
}

/** @param {{pages: LinkPage[]}} props */
function List({ pages }) {
  const pageOf = (/** @type {Profile} */ { id }) => pages.find(({ profileId }) => profileId === id);
  return html`
    <${Table}
      label=${t("Link pages")}
      columns=${[t("Client"), t("Address"), t("State"), ""]}
      rows=${activeProfiles.value.map((client) => {
        const page = pageOf(client);
        return {
          key: client.id,
          cells: [
            html`<span class="name">
              <${ClientMark} client=${client} />
              <span dir="auto">${client.name}</span>
            </span>`,
            page && html`
              <a href=${page.url} target="_blank" rel="noopener">
                /l/${page.slug}
              </a>
            `,
            page ? html`<${Badge} state=${page.isPublished ? "published" : "draft"} />` : t("no page"),
            html`<a class="button" href=${to(`clients/link-pages/${client.id}`)}>
              ${page || !may("profiles:write") ? t("Open") : t("Make a page")}
              <span class="hidden"> ${client.name}</span>
            </a>`,
          ],
        };
      })}
    />
  `;
}
