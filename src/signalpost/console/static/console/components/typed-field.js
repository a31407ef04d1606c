// Filters that are typed: what stands in one belongs to whoever types.
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

/**
 * A day as a filter. One that is typed is applied by Enter or on the way out: each key of a year makes a date
 * of its own. One that is chosen in the calendar of the browser is applied at once, one that is not complete
 * never.
 * @param {{label: string, value: string, onDone: (day: string) => void}} props
 *   `value`: what is applied, as `2026-11-30`
 */
export function DayField({ value, onDone, ...rest }) {
  const [day, setDay] = useState(value);
  const isTyped = useRef(false);
  useLayoutEffect(() => setDay(value), [value]);
  const done = () => {
    isTyped.current = false;
    if (day && day !== value) onDone(day);
    else setDay(value);
  };
  return html`
    <${Field}
      ...${rest}
      type="date"
      value=${day}
      max="9999-12-31"
      onInput=${(/** @type {string} */ entered) => {
        setDay(entered);
        if (entered && !isTyped.current) onDone(entered);
      }}
      onBlur=${done}
      onKeyDown=${(/** @type {KeyboardEvent} */ { key }) => {
        isTyped.current = true;
        if (key === "Enter") done();
      }}
    />
  `;
}
