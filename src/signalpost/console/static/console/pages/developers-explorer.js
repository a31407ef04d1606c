// The explorer: any operation of the API, with its fields to fill in, sent as oneself or with a test key, and
// the answer.
import { html } from "../html.js";
import { Icon } from "../icons.js";
import { number, t, tn } from "../i18n.js";
import { operations } from "../explorer.js";
import { useLoad } from "../hooks.js";
import { filter, to } from "../router.js";
import { Empty } from "../components/empty.js";
import { Loaded } from "../components/loaded.js";
import { TypedField } from "../components/typed-field.js";
import { OperationPage } from "./developers-operation.js";

/** @typedef {import("../explorer.js").Operation} Operation */

/** @param {{part: string, query: Record<string, string>}} props */
export default function Explorer({ part, query }) {
  const loaded = useLoad(operations, []);
  return html`
    <${Loaded} loaded=${loaded} lines=${9}>
      ${(/** @type {{name: string, operations: Operation[]}[]} */ groups) => {
        const chosen = groups
          .flatMap((group) => group.operations)
          .find((operation) => operation.id === part);
        if (chosen) return html`<${OperationPage} key=${chosen.id} operation=${chosen} />`;
        return html`
          ${part && html`
            <div class="notice warn">
              <${Icon} name="warn" />
              <p>${t("The API has no operation {name}.", { name: part })}</p>
            </div>
          `}
          <${List}
            groups=${groups}
            words=${(query.q ?? "").toLowerCase().split(/\s+/)}
            typed=${query.q ?? ""}
          />
        `;
      }}
    <//>
  `;
}

/** @param {{groups: {name: string, operations: Operation[]}[], words: string[], typed: string}} props */
function List({ groups, words, typed }) {
  const matches = (/** @type {string} */ name) => (/** @type {Operation} */ operation) =>
    words.every((word) =>
      `${name} ${operation.method} ${operation.path} ${operation.summary} ${operation.id}`
        .toLowerCase()
        .includes(word),
    );
  const matching = groups
    .map(({ name, operations: all }) => ({ name, operations: all.filter(matches(name)) }))
    .filter((group) => group.operations.length);
  const count = matching.reduce((sum, group) => sum + group.operations.length, 0);
  return html`
    <form
      class="row filters"
      role="search"
      onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}
    >
      <${TypedField}
        label=${t("Find an operation")}
        type="search"
        value=${typed}
        maxlength="100"
        placeholder="/posts"
        onPause=${(/** @type {string} */ q) => filter({ q })}
      />
    </form>
    <p class="soft" role="status">
      ${tn(count, "{n} operation", "{n} operations")}
    </p>
    ${count ? (
      matching.map((group) => html`
        <details class="group" key=${group.name} open=${Boolean(typed.trim())}>
          <summary>
            <h2 lang="en">${group.name}</h2> <span class="soft">${number(group.operations.length)}</span>
          </summary>
          <ul class="list" lang="en">
            ${group.operations.map((operation) => html`
              <li key=${operation.id}>
                <code class=${`method ${operation.method}`}>${operation.method}</code>
                <span class="grow">
                  <a class="row-link" href=${to(`developers/explorer/${operation.id}`)}>
                    ${operation.summary}
                  </a>
                  <br />
                  <code class="soft small">${operation.path}</code>
                </span>
              </li>
            `)}
          </ul>
        </details>
      `)
    ) : html`
      <${Empty} title=${t("Nothing found")} icon="search">
        ${t("Try a word of its address, such as webhooks.")}
      <//>
    `}
  `;
}
