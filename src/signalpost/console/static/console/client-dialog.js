// The clients to choose from, found by typing.
import { html, useState } from "./html.js";
import { allClients, chooseClient, client } from "./client.js";
import { ClientMark } from "./components/avatar.js";
import { Dialog } from "./components/dialog.js";
import { Field } from "./components/field.js";
import { t } from "./i18n.js";
import { Icon } from "./icons.js";
import { to } from "./router.js";
import { activeProfiles, profiles } from "./store.js";

/** So many are found at a glance. */
const FEW = 8;

/** @param {{onClose: () => void}} props */
export default function ClientDialog({ onClose }) {
  const [typed, setTyped] = useState("");
  const all = activeProfiles.value;
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = all.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  const choose = (/** @type {string} */ id) => {
    chooseClient(id);
    onClose();
  };
  const choices = words.length
    ? matching
    : [{ id: "", name: allClients(), color: null, avatarMediaId: null }, ...matching];
  return html`
    <${Dialog}
      title=${t("Choose a client")}
      onClose=${onClose}
      onSubmit=${() => words.length && matching[0] && choose(matching[0].id)}
    >
      ${all.length > FEW && html`
        <${Field} label=${t("Search")} type="search" value=${typed} onInput=${setTyped} autofocus />
      `}
      <ul class="options clients">
        ${choices.map(({ id, name, ...look }) => html`
          <li key=${id}>
            <button
              type="button"
              aria-current=${id === client.value ? "true" : undefined}
              onClick=${() => choose(id)}
            >
              ${id ? html`<${ClientMark} client=${look} />` : html`<${Icon} name="clients" />`}
              <span class="grow" dir="auto">
                ${name}
              </span>
              ${id === client.value && html`<${Icon} name="check" />`}
            </button>
          </li>
        `)}
      </ul>
      ${!choices.length && html`
        <p class="soft" role="status">
          ${t("No client has this name.")}
        </p>
      `}
      ${(profiles.value?.length ?? 0) > all.length && html`
        <p>
          <a href=${to("clients/archived")} onClick=${onClose}>
            ${t("Archived clients")}
          </a>
        </p>
      `}
    <//>
  `;
}
