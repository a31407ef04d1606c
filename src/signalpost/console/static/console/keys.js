// The keyboard: single keys, two-key sequences, the help and the palette. Single keys can be switched off
// (WCAG 2.1.4).
import { html, signal, useEffect, useMemo, useRef, useState } from "./html.js";
import { t } from "./i18n.js";
import { go } from "./router.js";
import { Check, Dialog } from "./ui.js";
import { may, me } from "./store.js";

/** @typedef {{keys: string, name: string, run: () => void}} Command */

export const singleKeys = signal(localStorage.getItem("single-keys") !== "off");
const open = signal(/** @type {"" | "help" | "palette"} */ (""));
/** Keys of the page that is shown. */
export const pageCommands = signal(/** @type {Command[]} */ ([]));

/** @returns {Command[]} */
export function commands() {
  return [
    { keys: "c", name: t("Write a post"), run: () => go("compose") },
    { keys: "g h", name: t("Go to Home"), run: () => go("") },
    { keys: "g c", name: t("Go to Calendar"), run: () => go("calendar") },
    { keys: "g p", name: t("Go to Posts"), run: () => go("posts") },
    { keys: "g m", name: t("Go to Media"), run: () => go("media") },
    { keys: "g a", name: t("Go to Accounts"), run: () => go("accounts") },
    { keys: "g n", name: t("Go to Analytics"), run: () => go("analytics") },
    { keys: "g d", name: t("Go to Developers"), run: () => go("developers") },
    { keys: "g w", name: t("Go to Webhooks"), run: () => go("developers/webhooks") },
    { keys: "g l", name: t("Go to the request log"), run: () => go("developers/requests") },
    { keys: "g b", name: t("Go to Billing"), run: () => go("billing") },
    { keys: "g t", name: t("Go to Team"), run: () => go("team") },
    ...(may("instance:admin")
      ? [{ keys: "g i", name: t("Go to Administration"), run: () => go("admin") }]
      : []),
    { keys: "g s", name: t("Go to Support"), run: () => go("support") },
    { keys: "/", name: t("Search"), run: () => focusSearch() },
    {
      keys: "?",
      name: t("Keyboard shortcuts"),
      run: () => {
        open.value = "help";
      },
    },
  ];
}

export const showPalette = () => {
  open.value = "palette";
};

function focusSearch() {
  const field = document.querySelector('main input[type="search"]');
  if (field instanceof HTMLElement) field.focus();
  else showPalette();
}

/** Add keys while a page is shown. @param {Command[]} own @param {any[]} inputs */
export function useCommands(own, inputs) {
  useEffect(() => {
    pageCommands.value = own;
    return () => {
      pageCommands.value = [];
    };
  }, inputs);
}

const KEY_NAMES = /** @type {Record<string, string>} */ ({ ArrowLeft: "←", ArrowRight: "→" });
const SEQUENCE_MS = 1_200;
let prefix = "";
let prefixAt = 0;

/** @param {EventTarget | null} target */
const isTyping = (target) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

addEventListener("keydown", (event) => {
  if (!me.peek()) return;
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    showPalette();
    return;
  }
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    isTyping(event.target) ||
    !singleKeys.peek() ||
    document.querySelector("dialog[open]")
  )
    return;
  const pressed =
    prefix && performance.now() - prefixAt < SEQUENCE_MS ? `${prefix} ${event.key}` : event.key;
  prefix = "";
  const all = [...pageCommands.peek(), ...commands()];
  const match = all.find((command) => command.keys === pressed);
  if (match) {
    event.preventDefault();
    match.run();
  } else if (all.some((command) => command.keys.startsWith(`${event.key} `))) {
    prefix = event.key;
    prefixAt = performance.now();
  }
});

export function KeyboardDialogs() {
  const close = () => {
    open.value = "";
  };
  if (open.value === "help") return html`<${Help} onClose=${close} />`;
  return open.value === "palette" ? html`<${Palette} onClose=${close} />` : null;
}

/** @param {{onClose: () => void}} props */
function Help({ onClose }) {
  const listed = [
    ...pageCommands.value,
    ...commands(),
    { keys: "Ctrl K", name: t("Commands") },
    { keys: "Ctrl Enter", name: t("Schedule or publish, in the composer") },
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
              ${command.keys.split(" ").map((key) => html`
                <kbd>${KEY_NAMES[key] ?? key}</kbd>
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

/** @param {{onClose: () => void}} props */
function Palette({ onClose }) {
  const [typed, setTyped] = useState("");
  const [index, setIndex] = useState(0);
  const list = useRef(/** @type {HTMLUListElement | null} */ (null));
  const matches = useMemo(() => {
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
  }, [typed]);
  const run = (/** @type {any} */ command) => {
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
        onInput=${(/** @type {any} */ event) => {
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
              ${command.keys
                .split(" ")
                .filter(Boolean)
                .map((key) => html`
                  <kbd>${KEY_NAMES[key] ?? key}</kbd>
                `)}
            </span>
          </li>
        `)}
      </ul>
    <//>
  `;
}
