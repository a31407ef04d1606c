// What each network lets one choose, from its own description: who can see a post, on which board it goes.
import { html, useState } from "../html.js";
import { t } from "../i18n.js";
import { networkName, platforms } from "../store.js";
import { CheckList } from "../components/check-list.js";
import { Check, Field } from "../components/field.js";

/** @typedef {import("../draft.js").Change} Change */
/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("../draft.js").ErrorAt} ErrorAt */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */
/** @typedef {import("signalpost/api").Schemas["PlatformOption"]} PlatformOption */

/**
 * A part for each network of the chosen accounts that has options.
 * @param {{draft: Draft, own: PlatformAccount[], change: Change, errorAt: ErrorAt}} props
 */
export function NetworkOptions({ draft, own: accounts, change, errorAt }) {
  const chosen = accounts.filter((account) => draft.accountIds.includes(account.id));
  const keys = [...new Set(chosen.map((account) => account.platform))];
  return keys.map((platform) => {
    const options = shownOf(platform);
    if (!options.length) return null;
    const values = draft.options?.[platform] ?? {};
    const ids = chosen.filter((account) => account.platform === platform).map((account) => account.id);
    const ownValues = Object.assign({}, ...ids.map((id) => draft.own?.[id]?.options));
    const set = (/** @type {string} */ key, /** @type {unknown} */ value) => {
      const changed = without(values, key);
      if (value !== undefined) changed[key] = value;
      // What is chosen here holds for all accounts of the network: their own values would win.
      const own = ids.map((id) => [id, ownWithout(draft.own?.[id] ?? {}, key)]);
      change({
        options: { ...draft.options, [platform]: changed },
        own: { ...draft.own, ...Object.fromEntries(own) },
      });
    };
    const isOpen =
      Object.keys({ ...values, ...ownValues }).length > 0 || options.some((option) => option.required);
    return html`
      <details class="more" key=${platform} open=${isOpen}>
        <summary>${t("Options of {network}", { network: networkName(platform) })}</summary>
        ${options.map((option) => html`
          <${Option}
            key=${option.key}
            option=${option}
            value=${ownValues[option.key] ?? values[option.key]}
            set=${(/** @type {unknown} */ value) => set(option.key, value)}
            error=${errorAt(`/options/${platform}/${option.key}`)}
          />
        `)}
      </details>
    `;
  });
}

/** @param {Record<string, unknown>} values @param {string} key */
function without(values, key) {
  const { [key]: _, ...others } = values;
  return others;
}

/** @param {import("../draft.js").Own} own @param {string} key */
const ownWithout = (own, key) =>
  own.options
    ? { ...own, options: without(/** @type {Record<string, unknown>} */ (own.options), key) }
    : own;

/**
 * Those with fields of their own here; values of several parts are kept as they came.
 * @param {string} platform
 */
const shownOf = (platform) =>
  (platforms.value?.find((candidate) => candidate.platform === platform)?.options ?? []).filter(
    (option) => option.type !== "object",
  );

/**
 * @param {{
 *   option: PlatformOption, value: unknown, set: (value: unknown) => void, error: string | undefined
 * }} props
 */
function Option({ option, value, set, error }) {
  const label = option.required ? t("{label} (needed)", { label: option.label }) : option.label;
  const help = option.help.replaceAll("`", "");
  if (option.type === "flag")
    return html`
      <${Check}
        label=${label}
        hint=${help}
        checked=${value ?? option.default ?? false}
        onChange=${(/** @type {boolean} */ isOn) =>
          set(isOn === (option.default ?? false) ? undefined : isOn)
        }
      />
      ${error && html`<p class="error">${error}</p>`}
    `;
  if (option.type === "list" && option.choices)
    return html`
      <div class="field" role="group" aria-label=${label}>
        <div class="legend">${label}</div>
        <${CheckList}
          options=${option.choices.map((choice) => [choice, wordsOf(choice)])}
          value=${value ?? []}
          onInput=${(/** @type {string[]} */ values) => set(values.length ? values : undefined)}
        />
        <p class="hint">${help}</p>
        ${error && html`<p class="error">${error}</p>`}
      </div>
    `;
  return html`<${Typed} option=${option} label=${label} value=${value} set=${set} error=${error} />`;
}

/**
 * A value that is typed or chosen. What was typed stays as it is, also where it means several values.
 * @param {{
 *   option: PlatformOption, label: string, help: string, value: unknown, set: (value: unknown) => void,
 *   error: string | undefined
 * }} props
 */
function Typed({ option, label, help, value, set, error }) {
  const [text, setText] = useState(Array.isArray(value) ? value.join(", ") : String(value ?? ""));
  return html`
    <${Field}
      label=${label}
      hint=${help}
      error=${error}
      type=${option.type === "number" ? "number" : "text"}
      options=${option.type === "choice" ? choicesOf(option) : undefined}
      value=${text}
      onInput=${(/** @type {string} */ typed) => {
        setText(typed);
        set(valueOf(option, typed));
      }}
    />
  `;
}

/** @param {PlatformOption} option @returns {[string, string][]} */
const choicesOf = (option) => [
  [
    "",
    option.required
      ? t("Choose")
      : option.default === null
        ? t("As usual")
        : t("As usual: {value}", { value: wordsOf(String(option.default)) }),
  ],
  .../** @type {[string, string][]} */ ((option.choices ?? []).map((choice) => [choice, wordsOf(choice)])),
];

/**
 * What is sent for what was typed; undefined: nothing.
 * @param {PlatformOption} option @param {string} text
 */
function valueOf(option, text) {
  if (!text.trim()) return undefined;
  if (option.type === "number") return Number(text);
  if (option.type !== "list") return text;
  return text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
}

/** A value of a network in words: `PUBLIC_TO_EVERYONE`, `mentionedUsers`. @param {string} value */
function wordsOf(value) {
  const words = value
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[_-]/g, " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
