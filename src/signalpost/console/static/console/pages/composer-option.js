// One option of a network as a field. Labels, helps and values are translated by the catalog of options.
import { html } from "../html.js";
import { t } from "../i18n.js";
import { Check, Field } from "../components/field.js";
import { Choices, Objects, Rows, useTyped, wordsOf } from "./composer-parts.js";

/** @typedef {import("signalpost/api").Schemas["PlatformOption"]} PlatformOption */

/** @param {PlatformOption} option */
export const labelOf = (option) =>
  option.required ? t("{label} (needed)", { label: t(option.label) }) : t(option.label);

/** @param {PlatformOption} option */
export const helpOf = (option) => t(option.help).replaceAll("`", "");

/**
 * @param {{
 *   option: PlatformOption, value: unknown, set: (value: unknown) => void, error: string | undefined,
 *   disabled?: boolean, help?: string
 * }} props
 */
export function Option({ option, value, set, error, disabled, help = helpOf(option) }) {
  const label = labelOf(option);
  const props = { option, label, help, value, set, error };
  if (option.instead.length) return html`<${Instead} ...${props} />`;
  if (option.type === "flag" && option.default === null)
    return html`
      <${Field}
        label=${label}
        hint=${help}
        error=${error}
        options=${[
          ["", t("As usual")],
          ["true", t("Yes")],
          ["false", t("No")],
        ]}
        value=${String(value ?? "")}
        onInput=${(/** @type {string} */ chosen) => set(chosen ? chosen === "true" : undefined)}
      />
    `;
  if (option.type === "flag")
    return html`
      <${Check}
        label=${label}
        hint=${help}
        checked=${value ?? option.default ?? false}
        disabled=${disabled}
        onChange=${(/** @type {boolean} */ isOn) =>
          set(isOn === (option.default ?? false) ? undefined : isOn)
        }
      />
      ${error && html`<p class="error">${error}</p>`}
    `;
  if (option.type === "list" && option.choices)
    return html`<${Choices} ...${props} choices=${option.choices} />`;
  if (option.type === "list" && option.itemsMax && option.itemsMax <= ROWS_MAX)
    return html`<${Rows} ...${props} min=${option.itemsMin} max=${option.itemsMax} />`;
  if (option.parts.length) return html`<${Objects} ...${props} />`;
  return html`<${Typed} ...${props} />`;
}

/** Longer lists are typed with commas. */
const ROWS_MAX = 10;
const OWN = "own value";

/**
 * A list or an object in whose place a plain value can stand: `everyone`, or those who are named.
 * @param {{
 *   option: PlatformOption, label: string, help: string, value: unknown, set: (value: unknown) => void,
 *   error: string | undefined
 * }} props
 */
function Instead({ option, label, help, value, set, error }) {
  const [isOwn, setOwn] = useTyped(value, (meant) => typeof meant === "object");
  const plain = /** @type {[string, string][]} */ (
    option.instead.map((instead) => [
      String(instead),
      instead === true ? t("Yes") : instead === false ? t("No") : wordsOf(instead),
    ])
  );
  const choose = (/** @type {string} */ chosen) => {
    const plainValue = option.instead.find((instead) => String(instead) === chosen);
    setOwn(chosen === OWN, plainValue);
    set(plainValue);
  };
  return html`
    <${Field}
      label=${label}
      hint=${help}
      error=${error}
      options=${[["", t("As usual")], ...plain, [OWN, t("As stated below")]]}
      value=${isOwn ? OWN : String(value ?? "")}
      onInput=${choose}
    />
    ${isOwn && html`
      <${Option}
        option=${{ ...option, instead: [] }}
        value=${value}
        set=${set}
        error=${undefined}
        help=""
      />
    `}
  `;
}

/**
 * A value that is typed or chosen. What was typed stays as it is, also where it means several values.
 * @param {{
 *   option: PlatformOption, label: string, help: string, value: unknown, set: (value: unknown) => void,
 *   error: string | undefined
 * }} props
 */
function Typed({ option, label, help, value, set, error }) {
  const [text, setText] = useTyped(value, (meant) =>
    Array.isArray(meant) ? meant.join(", ") : String(meant ?? ""),
  );
  return html`
    <${Field}
      label=${label}
      hint=${help}
      error=${error}
      type=${option.type === "number" ? "number" : "text"}
      options=${option.type === "choice" ? choicesOf(option) : undefined}
      value=${text}
      onInput=${(/** @type {string} */ typed) => {
        setText(typed, valueOf(option, typed));
        set(valueOf(option, typed));
      }}
    />
  `;
}

/** @param {PlatformOption} option @returns {[string, string][]} */
const choicesOf = (option) => [
  ["", noneOf(option)],
  .../** @type {[string, string][]} */ ((option.choices ?? []).map((choice) => [choice, wordsOf(choice)])),
];

/** What an empty choice means. @param {PlatformOption} option @param {string} [usual] the default in words */
export const noneOf = (option, usual = wordsOf(String(option.default))) =>
  option.required
    ? t("Choose")
    : option.default === null
      ? t("As usual")
      : t("As usual: {value}", { value: usual });

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
