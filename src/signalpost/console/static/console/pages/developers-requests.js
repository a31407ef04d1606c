// The request log: every API call of the workspace in the last seven days, filters in the address, one call
// in a dialog.
import { html } from "../html.js";
import { ROOT, all, curlOf, get } from "../api.js";
import { Icon } from "../icons.js";
import { number, t, tn } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { filter, to } from "../router.js";
import { may } from "../store.js";
import { Time } from "../time.js";
import { Button } from "../components/button.js";
import { Copy } from "../components/copy.js";
import { Dialog } from "../components/dialog.js";
import { Empty } from "../components/empty.js";
import { Field } from "../components/field.js";
import { Loaded } from "../components/loaded.js";
import { More } from "../components/more.js";
import { Table } from "../components/table.js";
import { TypedField } from "../components/typed-field.js";

/** @typedef {import("signalpost/api").Schemas["LoggedRequestList"]} LoggedRequestList */
/** @typedef {import("signalpost/api").Schemas["LoggedRequest"]} LoggedRequest */

const FILTERS = ["status", "method", "path", "keyId", "requestId", "code", "from", "to", "mode"];
const METHODS = ["GET", "POST", "PATCH", "PUT", "DELETE"];

/** @param {{query: Record<string, string>}} props */
export default function Requests({ query }) {
  const filters = Object.fromEntries(FILTERS.map((name) => [name, query[name] ?? ""]));
  const loaded = useLoad(
    () => get("/logs/requests", { ...filters, limit: 50 }),
    FILTERS.map((name) => filters[name]),
  );
  const isFiltered = FILTERS.some((name) => filters[name]);
  const clear = () => filter(Object.fromEntries(FILTERS.map((name) => [name, ""])));
  const chosen = query.call && loaded.data?.data.find((call) => call.id === query.call);
  return html`
    <${Filters} filters=${filters} loading=${loaded.loading} reload=${loaded.reload} />
    <${Loaded} loaded=${loaded} lines=${8}>
      ${(/** @type {typeof loaded.data} */ page) =>
        page.data.length ? html`
          <${Calls} page=${page} filters=${filters} query=${query} setPage=${loaded.setData} />
        ` : isFiltered ? html`
          <${Empty}
            title=${t("Nothing found")}
            icon="search"
            action=${html`<${Button} onClick=${clear}>${t("Clear the filters")}<//>`}
          >
            ${t(
              "No call of the last seven days matches these filters. A call appears here after a second or two.",
            )}
          <//>
        ` : html`
          <${Empty} title=${t("No calls yet")} icon="api" curl=${curlOf("/auth/me")}>
            ${t(
              "Every call of a program or of this console is listed here for seven days, with what came of it.",
            )}
          <//>
        `
      }
    <//>
    ${chosen && html`<${Call} call=${chosen} onClose=${() => filter({ call: "" })} />`}
  `;
}

/** @param {{filters: Record<string, string>, loading: boolean, reload: () => void}} props */
function Filters({ filters, loading, reload }) {
  const keys = useLoad(() => (may("keys:write") ? all("/api-keys") : Promise.resolve([])), []);
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) => filter({ [name]: value });
  return html`
    <form
      class="row filters"
      role="search"
      onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}
    >
      <${TypedField}
        label=${t("Path")}
        type="search"
        value=${filters.path}
        onPause=${set("path")}
        placeholder="/posts"
        maxlength="100"
      />
      <${Field}
        label=${t("Result")}
        value=${filters.status}
        onInput=${set("status")}
        options=${[
          ["", t("All results")],
          ["2xx", t("Succeeded")],
          ["4xx", t("Refused (4xx)")],
          ["5xx", t("Our fault (5xx)")],
          ["429", t("Too many (429)")],
        ]}
      />
      <${Field}
        label=${t("Method")}
        value=${filters.method}
        onInput=${set("method")}
        options=${[["", t("All methods")], ...METHODS.map((name) => [name, name])]}
      />
      ${may("keys:write") && html`
        <${Field}
          label=${t("API key")}
          value=${filters.keyId}
          onInput=${set("keyId")}
          options=${[["", t("All callers")], ...(keys.data ?? []).map((key) => [key.id, key.name])]}
        />
      `}
      <${TypedField}
        label=${t("Request id")}
        type="search"
        value=${filters.requestId}
        onPause=${set("requestId")}
        placeholder="req_…"
        maxlength="100"
      />
      <${Button} kind="quiet" icon="retry" busy=${loading} onClick=${reload}>
        ${t("Refresh")}
      <//>
    </form>
  `;
}

/**
 * @param {{
 *   page: LoggedRequestList, filters: Record<string, string>, query: Record<string, string>,
 *   setPage: (page: LoggedRequestList) => void
 * }} props
 */
function Calls({ page, filters, query, setPage }) {
  const rows = page.data.map((call) => ({
    key: call.id,
    href: to("developers/requests", { ...query, call: call.id }),
    cells: [
      html`<span class="call-path">
        <code class=${`method ${call.method}`}>${call.method}</code> ${call.path}
      </span>`,
      html`<${Status} call=${call} />`,
      `${duration(call)}`,
      call.actor.name ?? call.actor.id,
      html`<${Time} at=${call.at} kind="relative" />`,
    ],
  }));
  return html`
    <${Table}
      label=${t("API calls")}
      columns=${[t("Call"), t("Result"), t("Took"), t("By"), t("When")]}
      rows=${rows}
      atFirst=${Number.MAX_SAFE_INTEGER}
    />
    <${More}
      path="/logs/requests"
      query=${{ ...filters, limit: 50 }}
      page=${page}
      setPage=${setPage}
      summary=${tn(page.data.length, "{n} call shown", "{n} calls shown")}
    />
  `;
}

/** @param {LoggedRequest} call */
const duration = (call) =>
  `${number(call.durationMs < 10 ? call.durationMs : Math.round(call.durationMs))} ms`;

/** A state is colour, icon and words. @param {{call: LoggedRequest}} props */
function Status({ call }) {
  const [tone, icon] =
    call.status >= 500 ? ["bad", "cross"] : call.status >= 400 ? ["warn", "warn"] : ["ok", "check"];
  return html`
    <span class=${`badge ${tone}`}>
      <${Icon} name=${icon} />
      ${call.status}
      ${call.code && html`<code>${call.code}</code>`}
    </span>
  `;
}

/** @param {{call: LoggedRequest, onClose: () => void}} props */
function Call({ call, onClose }) {
  return html`
    <${Dialog} title=${`${call.method} ${call.path}`} onClose=${onClose}>
      <dl class="facts">
        <dt>${t("Result")}</dt>
        <dd>
          <${Status} call=${call} />
          ${call.code && html`
            <a href=${`${ROOT}/problems/${call.code}`} target="_blank" rel="noopener">
              ${t("What to do")}
            </a>
          `}
        </dd>
        <dt>${t("When")}</dt>
        <dd>
          <${Time} at=${call.at} />
        </dd>
        <dt>${t("Took")}</dt>
        <dd>${duration(call)}</dd>
        <dt>${t("By")}</dt>
        <dd>
          ${call.actor.name ?? call.actor.id}
          ${call.keyPrefix && html`<code>${call.keyPrefix}…</code>`}
        </dd>
        <dt>${t("From")}</dt>
        <dd>
          <code>${call.address}</code>
        </dd>
        <dt>${t("Operation")}</dt>
        <dd>
          <a
            href=${`${ROOT}/docs/search?q=${call.operation.replaceAll("_", "+")}`}
            target="_blank"
            rel="noopener"
          >
            <code>${call.operation}</code>
          </a>
        </dd>
        <dt>${t("Request id")}</dt>
        <dd>
          <code>${call.requestId}</code> <${Copy} text=${call.requestId} />
        </dd>
      </dl>
      ${call.omitted > 0 && html`
        <p class="soft">
          ${tn(
            call.omitted,
            "{n} call just before this one was too many to keep.",
            "{n} calls just before this one were too many to keep.",
          )}
        </p>
      `}
      <p class="soft small">${t("Bodies and headers are not kept, so that no secret is.")}</p>
    <//>
  `;
}
