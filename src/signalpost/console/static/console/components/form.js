// Forms: what was typed, how sending it goes, and what was refused at which field.
import { html, useState } from "../html.js";
import { Problem } from "../api.js";
import { t } from "../i18n.js";
import { useAction } from "../hooks.js";
import { issueSentence } from "../words.js";
import { Button } from "./button.js";
import { Dialog } from "./dialog.js";
import { ProblemBox } from "./problem-box.js";

/** @typedef {import("../html.js").Children} Children */

/**
 * The values of a form. `submit` sends them once at a time; what is refused becomes `problem`. `field(name)`
 * has what a `Field` needs for one of them, its error included, `check(name)` what a `Check` needs.
 * @template {Record<string, unknown>} T
 * @param {T} initial
 * @param {(values: T) => Promise<unknown>} send
 */
export function useForm(initial, send) {
  const [values, setValues] = useState(initial);
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const change = (/** @type {Partial<T>} */ changes) => setValues((old) => ({ ...old, ...changes }));
  const set = (/** @type {string} */ name) => (/** @type {unknown} */ value) =>
    change(/** @type {Partial<T>} */ ({ [name]: value }));
  const [busy, submit] = useAction(async () => {
    setProblem(null);
    await send(values).catch(setProblem);
  });
  const field = (/** @type {keyof T & string} */ name) => ({
    value: values[name],
    error: errorAt(problem, name),
    onInput: set(name),
  });
  const check = (/** @type {keyof T & string} */ name) => ({ checked: values[name], onChange: set(name) });
  return { values, change, field, check, problem, busy, submit };
}

/**
 * The form of values, for a part of it.
 * @template {Record<string, unknown>} T
 * @typedef {ReturnType<typeof useForm<T>>} FormOf
 */

/**
 * The message of what was refused about a member of the body.
 * @param {unknown} problem
 * @param {string} name
 */
export const errorAt = (problem, name) => {
  const issue =
    problem instanceof Problem
      ? problem.issues.find(({ path }) => path.split("/").includes(name))
      : undefined;
  return issue && issueSentence(issue);
};

/** What stands in a field that takes several. @param {string} text */
export const listed = (text) => text.split(/[\s,]+/).filter(Boolean);

/** @typedef {{busy: boolean, problem?: unknown, submit: () => Promise<void>}} Form */

/**
 * A form in a dialog, with what was refused above its fields.
 * @param {{
 *   title: string, form: Form, submit: string, kind?: string, cancel?: string, disabled?: boolean,
 *   onClose: () => void, children?: Children
 * }} props `submit`, `cancel`: the words on the buttons
 */
export function FormDialog(props) {
  const {
    title,
    form,
    submit,
    kind = "primary",
    cancel = t("Cancel"),
    disabled,
    onClose,
    children,
  } = props;
  return html`
    <${Dialog}
      title=${title}
      onClose=${onClose}
      onSubmit=${form.submit}
      actions=${
        html`
          <${Button} onClick=${onClose}>${cancel}<//>
          <${Button} kind=${kind} type="submit" busy=${form.busy} disabled=${disabled}>
            ${submit}
          <//>
        `
      }
    >
      ${form.problem && html`<${ProblemBox} problem=${form.problem} />`}
      ${children}
    <//>
  `;
}
