// Support: tickets of the workspace, and what people suggest.
import { html, useEffect, useState } from "../html.js";
import { ROOT, curlOf, get } from "../api.js";
import { number, t, tn } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { filter, go, to } from "../router.js";
import { stylesheet } from "../stylesheet.js";
import { Time } from "../time.js";
import { Badge } from "../components/badge.js";
import { Button } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { Field } from "../components/field.js";
import { lazy, lazyDialog } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { More } from "../components/more.js";
import { Page } from "../components/page.js";
import { Table } from "../components/table.js";
import { Tabs } from "../components/tabs.js";
import { TypedField } from "../components/typed-field.js";
import { SUGGESTION, Vote, kindName, kinds, votesCounted } from "./support-parts.js";

/** @typedef {import("signalpost/api").Schemas["TicketList"]} TicketList */

await stylesheet("pages/support.css");

const NewTicket = lazyDialog(() => import("./support-new.js"));
const Thread = lazy(() => import("./support-thread.js"));
const TICKET = /^tkt_/;
const STATUSES = () =>
  /** @type {[string, string][]} */ ([
    ["", t("All states")],
    ["open", t("Open")],
    ["in_progress", t("In progress")],
    ["waiting_on_user", t("Waiting for you")],
    ["resolved", t("Resolved")],
    ["closed", t("Closed")],
  ]);

/** @param {{id: string, query: Record<string, string>}} props */
export default function Support({ id, query }) {
  const [kind, setKind] = useState("");
  const isSuggestions = id !== "" && !TICKET.test(id);
  useEffect(() => {
    // Suggestions had another address once: what is no ticket leads to them.
    if (isSuggestions && id !== "suggestions") go("support/suggestions", query, { replace: true });
  }, [id]);
  if (TICKET.test(id)) return html`<${Thread} id=${id} />`;
  const ask = isSuggestions ? html`
    <${Button} kind="primary" icon="plus" onClick=${() => setKind(SUGGESTION)}>
      ${t("Suggest a feature")}
    <//>
  ` : html`
    <${Button} kind="primary" icon="plus" onClick=${() => setKind("question")}>
      ${t("Open a ticket")}
    <//>
  `;
  return html`
    <${Page}
      title=${t("Support")}
      subtitle=${
        html`
          ${t("Is something down?")}${" "}
          <a href=${`${ROOT}/status`} target="_blank" rel="noopener">
            ${t("Status of the service")}
          </a>${" "}
          ·${" "}
          <a href=${`${ROOT}/docs`} target="_blank" rel="noopener">
            ${t("Docs")}
          </a>
        `
      }
      actions=${ask}
    >
      <${Tabs}
        label=${t("Support")}
        path="support"
        current=${isSuggestions ? "suggestions" : ""}
        tabs=${[
          ["", t("Tickets")],
          ["suggestions", t("Feature requests")],
        ]}
      />
      ${isSuggestions ? html`
        <${Suggestions} q=${query.q ?? ""} ask=${ask} />
      ` : html`
        <${Tickets} query=${query} ask=${ask} />
      `}
      ${kind && html`<${NewTicket} kind=${kind} onClose=${() => setKind("")} />`}
    <//>
  `;
}

/** A search that waits until typing pauses. @param {{value: string, label: string}} props */
function SearchField({ value, label }) {
  const search = (/** @type {string} */ q) => filter({ q });
  return html`
    <${TypedField} label=${label} type="search" value=${value} maxlength="200" onPause=${search} />
  `;
}

/** @param {{query: Record<string, string>, ask: Children}} props */
function Tickets({ query, ask }) {
  const { q = "", status = "", type = "" } = query;
  const filters = { q, status, type, limit: 50 };
  const loaded = useLoad(() => get("/support", filters), [q, status, type]);
  const isFiltered = Boolean(q || status || type);
  return html`
    <${Filters} q=${q} status=${status} type=${type} />
    <${Loaded} loaded=${loaded} lines=${6}>
      ${(/** @type {typeof loaded.data} */ page) =>
        page.data.length ? html`
          <${Table}
            label=${t("Tickets")}
            atFirst=${page.data.length}
            columns=${[t("Subject"), t("Kind"), t("State"), t("Messages"), t("Last message")]}
            numbers=${[3]}
            rows=${page.data.map((ticket) => ({
              key: ticket.id,
              href: to(`support/${ticket.id}`),
              cells: [
                html`<span class="clip">
                  ${ticket.subject} <span class="soft">#${ticket.number}</span>
                </span>`,
                kindName(ticket.type),
                html`<${Badge} state=${ticket.status} />`,
                number(ticket.messageCount),
                html`<${Time} at=${ticket.lastMessageAt} kind="relative" />`,
              ],
            }))}
          />
          <${More} path="/support" query=${filters} page=${page} setPage=${loaded.setData} />
          ` : isFiltered ? html`
          <${Empty}
            title=${t("Nothing found")}
            icon="search"
            action=${
              html`<${Button} onClick=${() => filter({ q: "", status: "", type: "" })}>
                ${t("Clear the filters")}
              <//>`
            }
          >
            ${t("No ticket matches these filters.")}
          <//>
        ` : html`
          <${NoTickets} ask=${ask} />
        `
      }
    <//>
  `;
}

/** @typedef {import("../html.js").Children} Children */

/** @param {{q: string, ask: Children}} props */
function Suggestions({ q, ask }) {
  const filters = { q, limit: 50 };
  const loaded = useLoad(() => votesCounted().then(() => get("/support/suggestions", filters)), [q]);
  return html`
    <form
      class="row filters"
      role="search"
      onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}
    >
      <${SearchField} label=${t("Search")} value=${q} />
    </form>
    <${Loaded} loaded=${loaded} lines=${6}>
      ${(/** @type {typeof loaded.data} */ page) =>
        page.data.length ? html`
          <ul class="list suggestions" aria-label=${t("Feature requests")}>
            ${page.data.map((suggestion) => html`
              <li key=${suggestion.id}>
                <${Vote} ticket=${suggestion} />
                <span class="grow">
                  <a class="row-link" href=${to(`support/${suggestion.id}`)}>
                    ${suggestion.subject}
                  </a>
                  <br />
                  <span class="soft small">
                    ${suggestion.author.name} ·${" "}
                    ${tn(suggestion.messageCount, "{n} message", "{n} messages")}
                  </span>
                </span>
                <${Badge} state=${suggestion.status} />
              </li>
            `)}
          </ul>
          <${More}
            path="/support/suggestions"
            query=${filters}
            page=${page}
            setPage=${loaded.setData}
          />
          ` : q ? html`
          <${Empty} title=${t("Nothing found")} icon="search" action=${ask}>
            ${t("Nobody has asked for this yet.")}
          <//>
        ` : html`
          <${Empty} title=${t("No feature requests yet")} icon="support" action=${ask}>
            ${t("What should this service do? Everybody here can see it and vote for it.")}
          <//>
        `
      }
    <//>
  `;
}

/** @param {{q: string, status: string, type: string}} props */
function Filters({ q, status, type }) {
  return html`
    <form
      class="row filters"
      role="search"
      onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}
    >
      <${SearchField} label=${t("Search")} value=${q} />
      <${Field}
        label=${t("State")}
        options=${STATUSES()}
        value=${status}
        onInput=${(/** @type {string} */ value) => filter({ status: value })}
      />
      <${Field}
        label=${t("Kind")}
        options=${[["", t("All kinds")], ...kinds()]}
        value=${type}
        onInput=${(/** @type {string} */ value) => filter({ type: value })}
      />
    </form>
  `;
}

/** @param {{ask: Children}} props */
function NoTickets({ ask }) {
  return html`
    <${Empty}
      title=${t("No tickets yet")}
      icon="support"
      action=${ask}
      curl=${curlOf(
        "/support",
        "-H 'Content-Type: application/json'",
        `-d '{"subject": "Posts appear late", "body": "Since Sunday …", "type": "bug"}'`,
      )}
    >
      ${t("Ask a question or report a fault. Your workspace and the people who run this service see it.")}
    <//>
  `;
}
