// Options of several values: a poll with its choices, cards of a carousel, users who are tagged.
import { html, useState } from "../html.js";
import { t } from "../i18n.js";
import { Button } from "../components/button.js";
import { CheckList } from "../components/check-list.js";
import { Check, Field } from "../components/field.js";

/** @typedef {import("signalpost/api").Schemas["OptionPart"]} OptionPart */
/** @typedef {import("signalpost/api").Schemas["PlatformOption"]} PlatformOption */
/** @typedef {Record<string, unknown>} Values */

/** A value of a network in words: `PUBLIC_TO_EVERYONE`, `mentionedUsers`. @param {string} value */
export function wordsOf(value) {
  const translated = t(value);
  if (translated !== value) return translated;
  const words = value
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[_-]/g, " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * What is typed for a value, as long as it is the one that it stands for: a step that is undone, or another
 * person, makes it another one.
 * @template Typed
 * @param {unknown} value @param {(meant: unknown) => Typed} typedOf
 * @returns {[Typed, (typed: Typed, meant: unknown) => void]}
 */
export function useTyped(value, typedOf) {
  const [state, setState] = useState(() => ({ typed: typedOf(value), meant: value }));
  const isSame = JSON.stringify(state.meant) === JSON.stringify(value);
  return [isSame ? state.typed : typedOf(value), (typed, meant) => setState({ typed, meant })];
}

/**
 * A field for each text of a list. Empty ones are not sent.
 * @param {{
 *   label: string, help?: string, error?: string, value: unknown, min: number | null, max: number,
 *   set: (value: string[] | undefined) => void
 * }} props
 */
export function Rows({ label, help, error, value, min, max, set }) {
  const [rows, setRows] = useTyped(value, (meant) => {
    const texts = /** @type {string[]} */ (meant ?? []);
    return [...texts, ...Array(Math.max((min ?? 1) - texts.length, 0)).fill("")];
  });
  const show = (/** @type {string[]} */ changed) => {
    const filled = changed.map((row) => row.trim()).filter(Boolean);
    const meant = filled.length ? filled : undefined;
    setRows(changed, meant);
    set(meant);
  };
  return html`
    <div class="field" role="group" aria-label=${label}>
      <div class="legend">${label}</div>
      ${rows.map((row, index) => html`
        <div class="row" key=${index}>
          <${Field}
            label=${t("{label}, {n}", { label, n: index + 1 })}
            value=${row}
            onInput=${(/** @type {string} */ text) => show(rows.with(index, text))}
          />
          ${rows.length > (min ?? 1) && html`
            <${Button}
              kind="quiet"
              icon="close"
              aria-label=${t("Remove {label}", { label: t("{label}, {n}", { label, n: index + 1 }) })}
              onClick=${() => show(rows.toSpliced(index, 1))}
            />
          `}
        </div>
      `)}
      ${rows.length < max && html`
        <${Button} kind="quiet" icon="plus" onClick=${() => setRows([...rows, ""], value)}>
          ${t("Add: {label}", { label })}
        <//>
      `}
      ${help && html`<p class="hint">${help}</p>`}
      ${error && html`<p class="error">${error}</p>`}
    </div>
  `;
}

/**
 * A checkbox for each value that a list can have.
 * @param {{
 *   label: string, help?: string, error?: string, choices: string[], value: unknown,
 *   set: (value: string[] | undefined) => void
 * }} props
 */
export function Choices({ label, help, error, choices, value, set }) {
  return html`
    <div class="field" role="group" aria-label=${label}>
      <div class="legend">${label}</div>
      <${CheckList}
        options=${choices.map((choice) => [choice, wordsOf(choice)])}
        value=${value ?? []}
        onInput=${(/** @type {string[]} */ chosen) => set(chosen.length ? chosen : undefined)}
      />
      ${help && html`<p class="hint">${help}</p>`}
      ${error && html`<p class="error">${error}</p>`}
    </div>
  `;
}

/**
 * An object, or several of them; none until one is added.
 * @param {{
 *   option: PlatformOption, label: string, help: string, value: unknown, set: (value: unknown) => void,
 *   error: string | undefined
 * }} props
 */
export function Objects({ option, label, help, value, set, error }) {
  const isList = option.type === "objects";
  const objects = /** @type {Values[]} */ (isList ? (value ?? []) : value ? [value] : []);
  const max = isList ? (option.itemsMax ?? 10) : 1;
  const show = (/** @type {Values[]} */ changed) =>
    set(!changed.length ? undefined : isList ? changed : changed[0]);
  return html`
    <div class="field" role="group" aria-label=${label}>
      <div class="legend">${label}</div>
      ${objects.map((values, index) => {
        const name = isList ? t("{label}, {n}", { label, n: index + 1 }) : label;
        return html`
          <${Members}
            key=${index}
            name=${name}
            parts=${option.parts}
            values=${values}
            set=${(/** @type {Values} */ changed) => show(objects.with(index, changed))}
          />
          <${Button} kind="quiet" icon="close" onClick=${() => show(objects.toSpliced(index, 1))}>
            ${t("Remove {label}", { label: name })}
          <//>
        `;
      })}
      ${objects.length < max && html`
        <${Button} kind="quiet" icon="plus" onClick=${() => show([...objects, {}])}>
          ${t("Add: {label}", { label })}
        <//>
      `}
      <p class="hint">${help}</p>
      ${error && html`<p class="error">${error}</p>`}
    </div>
  `;
}

/**
 * @param {{name: string, parts: OptionPart[], values: Values, set: (values: Values) => void}} props
 */
function Members({ name, parts, values, set }) {
  const change = (/** @type {OptionPart} */ part, /** @type {unknown} */ value) => {
    const { [part.key]: _, ...others } = values;
    set(value === undefined || value === "" ? others : { ...others, [part.key]: value });
  };
  return html`
    <div role="group" aria-label=${name}>
      ${parts.map((part) => {
        const label = part.required ? t("{label} (needed)", { label: t(part.label) }) : t(part.label);
        const value = values[part.key];
        if (part.type === "flag")
          return html`
            <${Check}
              key=${part.key}
              label=${label}
              checked=${value ?? part.default ?? false}
              onChange=${(/** @type {boolean} */ isOn) =>
                change(part, isOn === (part.default ?? false) ? undefined : isOn)
              }
            />
          `;
        const List = part.choices ? Choices : Rows;
        if (part.type === "list")
          return html`
            <${List}
              key=${part.key}
              label=${label}
              choices=${part.choices}
              value=${value}
              min=${part.itemsMin}
              max=${part.itemsMax ?? 10}
              set=${(/** @type {string[] | undefined} */ listed) => change(part, listed)}
            />
          `;
        if (part.choices)
          return html`
            <${Field}
              key=${part.key}
              label=${label}
              options=${[
                ["", part.required ? t("Choose") : t("As usual")],
                .../** @type {[string, string][]} */ (
                  part.choices.map((choice) => [choice, wordsOf(choice)])
                ),
              ]}
              value=${String(value ?? "")}
              onInput=${(/** @type {string} */ chosen) => change(part, chosen)}
            />
          `;
        const isNumber = part.type === "number"; // what is called a text may have several lines, such as captions
        return html`
          <${Field}
            key=${part.key}
            label=${label}
            type=${isNumber ? "number" : "text"}
            step=${isNumber ? "any" : undefined}
            rows=${part.key === "text" ? 4 : undefined}
            value=${value ?? ""}
            onInput=${(/** @type {string} */ text) =>
              change(part, isNumber && text !== "" ? Number(text) : text)
            }
          />
        `;
      })}
    </div>
  `;
}
