// The keyboard: single keys and two-key sequences. Single keys can be switched off (WCAG 2.1.4).
import { signal, useEffect } from "./html.js";
import { hasExtension } from "./api.js";
import { t } from "./i18n.js";
import { go } from "./router.js";
import { isDeveloper } from "./rights.js";
import { may, me } from "./store.js";

/** @typedef {{keys: string, name: string, run: () => void}} Command */

export const singleKeys = signal(localStorage.getItem("single-keys") !== "off");
/** The dialog of the keyboard that is open. */
export const keyboardDialog = signal(/** @type {"" | "help" | "palette"} */ (""));
/** Keys of the page that is shown. */
export const pageCommands = signal(/** @type {Command[]} */ ([]));

/** Commands that a right allows. @param {boolean} isAllowed @param {Command[]} own */
const only = (isAllowed, ...own) => (isAllowed ? own : []);

/** @returns {Command[]} */
export function commands() {
  return [
    ...only(may("posts:write"), { keys: "c", name: t("Write a post"), run: () => go("compose") }),
    { keys: "g h", name: t("Go to Home"), run: () => go("") },
    { keys: "g c", name: t("Go to Calendar"), run: () => go("calendar") },
    { keys: "g p", name: t("Go to Posts"), run: () => go("posts") },
    { keys: "g q", name: t("Go to Queues"), run: () => go("queues") },
    { keys: "g v", name: t("Go to Approvals"), run: () => go("approvals") },
    { keys: "g f", name: t("Import posts from a file"), run: () => go("import") },
    { keys: "g m", name: t("Go to Media"), run: () => go("media") },
    { keys: "g k", name: t("Go to Clients"), run: () => go("clients") },
    { keys: "g a", name: t("Go to Accounts"), run: () => go("accounts") },
    { keys: "g n", name: t("Go to Analytics"), run: () => go("analytics") },
    ...only(isDeveloper(), { keys: "g d", name: t("Go to Developers"), run: () => go("developers") }),
    ...only(isDeveloper() && hasExtension("request_log"), {
      keys: "g l",
      name: t("Go to the request log"),
      run: () => go("developers/requests"),
    }),
    ...only(may("webhooks:read"), {
      keys: "g w",
      name: t("Go to Webhooks"),
      run: () => go("developers/webhooks"),
    }),
    ...only(may("billing:read"), { keys: "g b", name: t("Go to Billing"), run: () => go("billing") }),
    { keys: "g t", name: t("Go to Team"), run: () => go("team") },
    ...only(may("instance:admin"), {
      keys: "g i",
      name: t("Go to Administration"),
      run: () => go("admin"),
    }),
    { keys: "g u", name: t("Go to My account"), run: () => go("account") },
    { keys: "g s", name: t("Go to Support"), run: () => go("support") },
    { keys: "/", name: t("Search"), run: () => focusSearch() },
    {
      keys: "?",
      name: t("Keyboard shortcuts"),
      run: () => {
        keyboardDialog.value = "help";
      },
    },
  ];
}

export const showPalette = () => {
  keyboardDialog.value = "palette";
};

function focusSearch() {
  const field = document.querySelector('main input[type="search"]');
  if (field instanceof HTMLElement) field.focus();
  else showPalette();
}

/** Add keys while a page is shown. @param {Command[]} own @param {unknown[]} inputs */
export function useCommands(own, inputs) {
  useEffect(() => {
    pageCommands.value = own;
    return () => {
      pageCommands.value = [];
    };
  }, inputs);
}

const KEY_NAMES = /** @type {Record<string, string>} */ ({
  ArrowLeft: "←",
  ArrowRight: "→",
  "Shift+ArrowDown": "⇧ ↓",
  "Shift+ArrowUp": "⇧ ↑",
});
/** What stands on the keys of a command. @param {Pick<Command, "keys">} command */
export const keyNames = ({ keys }) =>
  keys
    .split(" ")
    .filter(Boolean)
    .map((key) => KEY_NAMES[key] ?? key);

/** Not everybody finds the second key of two at once. */
const SEQUENCE_MS = 5_000;
let prefix = "";
let prefixAt = 0;

/** @param {EventTarget | null} target */
const isTyping = (target) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type="checkbox"]), textarea, select'));

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
  const key = event.shiftKey && event.key.startsWith("Arrow") ? `Shift+${event.key}` : event.key;
  const pressed = prefix && performance.now() - prefixAt < SEQUENCE_MS ? `${prefix} ${key}` : key;
  prefix = "";
  const all = [...pageCommands.peek(), ...commands()];
  const match = all.find((command) => command.keys === pressed);
  if (match) {
    event.preventDefault();
    match.run();
  } else if (all.some((command) => command.keys.startsWith(`${key} `))) {
    prefix = key;
    prefixAt = performance.now();
  }
});
