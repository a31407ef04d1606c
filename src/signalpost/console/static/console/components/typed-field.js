// A filter that is typed: what stands in it belongs to whoever types.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../html.js";
import { Field } from "./field.js";

const PAUSE_MS = 300;

/**
 * A field whose text is applied when typing pauses. A page that is drawn again meanwhile, from an address
 * that has the text before, takes no letter away; a value from elsewhere, such as of a button that clears
 * the filters, does take its place. Whoever leaves the page applies nothing.
 * @param {{
 *   label: string, value: string, onPause: (text: string) => void, [attribute: string]: unknown
 * }} props `value`: what is applied; `onPause`: receives the text without the space around it
 */
export function TypedField({ value, onPause, ...rest }) {
  const [text, setText] = useState(value);
  const applied = useRef(value);
  const timer = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined));
  useEffect(() => () => clearTimeout(timer.current), []);
  useLayoutEffect(() => {
    if (value === applied.current) return;
    clearTimeout(timer.current);
    applied.current = value;
    setText(value);
  }, [value]);
  const typed = (/** @type {string} */ written) => {
    setText(written);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      applied.current = written.trim();
      onPause(applied.current);
    }, PAUSE_MS);
  };
  return html`<${Field} ...${rest} value=${text} onInput=${typed} />`;
}
