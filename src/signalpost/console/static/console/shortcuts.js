// The list of keys.
import { html } from "./html.js";
import { Dialog } from "./components/dialog.js";
import { Check } from "./components/field.js";
import { t } from "./i18n.js";
import { commands, keyNames, pageCommands, singleKeys } from "./keys.js";

/** @param {{onClose: () => void}} props */
export default function Shortcuts({ onClose }) {
  const listed = [
    ...pageCommands.value,
    ...commands(),
    { keys: "Ctrl K", name: t("Commands") },
    { keys: "Ctrl Enter", name: t("Schedule or publish, in the composer") },
    { keys: "Ctrl Z", name: t("Undo") },
    { keys: "Esc", name: t("Close") },
  ];
  const choose = (/** @type {boolean} */ on) => {
    localStorage.setItem("single-keys", on ? "on" : "off");
    singleKeys.value = on;
  };
  return html`
    <${Dialog} title=${t("Keyboard shortcuts")} onClose=${onClose}>
      <dl class="keys">
        ${listed.map((command) => html`
          <div>
            <dt>
              ${keyNames(command).map((name) => html`
                <kbd>${name}</kbd>
              `)}
            </dt>
            <dd>${command.name}</dd>
          </div>
        `)}
      </dl>
      <${Check} label=${t("Use single keys")} checked=${singleKeys.value} onChange=${choose} />
    <//>
  `;
}
