// A question before something is done.
import { html } from "../html.js";
import { t } from "../i18n.js";
import { FormDialog, useForm } from "./form.js";

/** @typedef {import("../html.js").Children} Children */

/**
 * A question before what cannot be undone, or costs something.
 * @param {{
 *   title: string, confirm: string, act: () => Promise<unknown>, keep?: string, kind?: string,
 *   onClose: () => void, children?: Children
 * }} props `confirm`, `keep`: the words on the buttons
 */
export function ConfirmDialog({ confirm, act, keep = t("Keep it"), kind = "danger", ...rest }) {
  const form = useForm({}, act);
  return html`<${FormDialog} form=${form} submit=${confirm} cancel=${keep} kind=${kind} ...${rest} />`;
}
