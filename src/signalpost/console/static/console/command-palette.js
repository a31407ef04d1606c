// Every command, found by typing.
import { html, useEffect, useMemo, useRef, useState } from "./html.js";
import { Dialog } from "./components/dialog.js";
import { t } from "./i18n.js";
import { commands, keyNames, pageCommands } from "./keys.js";
import { go } from "./router.js";

/** @typedef {import("./html.js").InputEvent} InputEvent */

/** @typedef {import("./keys.js").Command} Command */

/** @param {string} typed */
function matching(typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const named = [...pageCommands.peek(), ...commands()].filter((command) =>
    words.every((word) => command.name.toLowerCase().includes(word)),
  );
  const search = {
    keys: "",
    name: t("Search posts for “{text}”", { text: typed }),
    run: () => go("posts", { q: typed }),
  };
  return typed.trim() ? [...named, search] : named;
}

/** @param {{onClose: () => void}} props */
export default function CommandPalette({ onClose }) {
  const [typed, setTyped] = useState("");
  const [index, setIndex] = useState(0);
  const list = useRef(/** @type {HTMLUListElement | null} */ (null));
  const matches = useMemo(() => matching(typed), [typed]);
  const run = (/** @type {Command} */ command) => {
    onClose();
    setTimeout(command.run);
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setIndex((index + step + matches.length) % matches.length);
    } else if (event.key === "Enter" && matches[index]) {
      event.preventDefault();
      run(matches[index]);
    }
  };
  useEffect(() => list.current?.children[index]?.scrollIntoView({ block: "nearest" }), [index]);
  return html`
    <${Dialog} title=${t("Commands")} onClose=${onClose}>
      <input
        class="palette"
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette"
        aria-activedescendant=${`palette-${index}`}
        aria-label=${t("Find a command")}
        placeholder=${t("Find a command")}
        value=${typed}
        autofocus
        onInput=${(/** @type {InputEvent} */ event) => {
          setTyped(event.currentTarget.value);
          setIndex(0);
        }}
        onKeyDown=${onKey}
      />
      <ul id="palette" class="options" role="listbox" aria-label=${t("Commands")} ref=${list}>
        ${matches.map((command, at) => html`
          <li
            id=${`palette-${at}`}
            role="option"
            aria-selected=${at === index ? "true" : "false"}
            onClick=${() => run(command)}
          >
            <span>${command.name}</span>
            <span class="soft">
              ${keyNames(command).map((name) => html`
                <kbd>${name}</kbd>
              `)}
            </span>
          </li>
        `)}
      </ul>
    <//>
  `;
}
