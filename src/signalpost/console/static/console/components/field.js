// The fields of a form, with their labels.
import { html, useEffect, useState } from "../html.js";
import { newId } from "../hooks.js";

/** @typedef {import("../html.js").InputEvent} InputEvent */

/** @typedef {import("../html.js").Children} Children */

/**
 * A labelled field. `error` is the message of an issue, shown at the field.
 * @param {{
 *   label: Children, hint?: Children, error?: string, type?: string, value?: any,
 *   onInput?: (value: string) => void, options?: [string, string, boolean?][], rows?: number,
 *   children?: Children,
 *   autofocus?: boolean, [attribute: string]: any
 * }} props
 */
export function Field({
  label,
  hint,
  error,
  type = "text",
  value,
  onInput,
  options,
  rows,
  children,
  autofocus,
  ...rest
}) {
  const [id] = useState(newId);
  useEffect(() => {
    if (autofocus) document.getElementById(id)?.focus(); // the attribute only works in a dialog that opens
  }, []);
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;
  const common = {
    id,
    value,
    "aria-describedby": described,
    "aria-invalid": error ? "true" : undefined,
    autofocus,
    // Without it, a year can be typed that has more than four digits, which no other part understands.
    max: type === "datetime-local" ? "9999-12-31T23:59" : undefined,
    ...rest,
    onInput: (/** @type {InputEvent} */ event) => onInput?.(event.currentTarget.value),
  };
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      ${options ? html`
        <select ...${common}>
          ${options.map(([key, name, isDisabled]) => html`
            <option value=${key} selected=${key === value} disabled=${isDisabled}>
              ${name}
            </option>
          `)}
        </select>
      ` : rows ? html`
        <textarea rows=${rows} ...${common} />
      ` : html`
        <input type=${type} ...${common} />
      `}
      ${children}
      ${hint && html`
        <p class="hint" id=${`${id}-hint`}>
          ${hint}
        </p>
      `}
      ${error && html`
        <p class="error" id=${`${id}-error`}>
          ${error}
        </p>
      `}
    </div>
  `;
}

/**
 * @param {{
 *   label: Children, checked: boolean, onChange: (checked: boolean) => void, hint?: string,
 *   disabled?: boolean
 * }} props
 */
export function Check({ label, checked, onChange, hint, disabled }) {
  return html`
    <label class="check">
      <input
        type="checkbox"
        checked=${checked}
        disabled=${disabled}
        onChange=${(/** @type {InputEvent} */ event) => onChange(event.currentTarget.checked)}
      />
      <span>
        ${label}
        ${hint && html`<span class="hint">${hint}</span>`}
      </span>
    </label>
  `;
}
