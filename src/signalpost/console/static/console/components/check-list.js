// Several of a few choices.
import { html } from "../html.js";
import { Check } from "./field.js";

/**
 * A checkbox for each choice.
 * @param {{
 *   options: [string, string][], value: string[], onInput: (value: string[]) => void
 * }} props
 */
export function CheckList({ options, value, onInput }) {
  return options.map(([key, label]) => html`
    <${Check}
      key=${key}
      label=${label}
      checked=${value.includes(key)}
      onChange=${(/** @type {boolean} */ isOn) =>
        onInput(isOn ? [...value, key] : value.filter((candidate) => candidate !== key))
      }
    />
  `);
}
