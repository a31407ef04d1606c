// A picture on which something is marked: a point, or a part of it. By pointer, and by the arrow keys.
import { html, useRef } from "../html.js";
import { loadTexts, number } from "../i18n.js";
import { stylesheet } from "../stylesheet.js";

await Promise.all([loadTexts("cut"), stylesheet("pages/cut.css")]);

/** @typedef {{x: number, y: number}} Point shares of the width and the height */
/** @typedef {import("../html.js").Children} Children */
/** @typedef {Omit<PointerEvent, "currentTarget"> & {currentTarget: HTMLElement}} Pressed */

const STEP = 0.01;
/** With the Shift key. */
const STEP_LARGE = 0.1;
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @param {number} value @param {number} least @param {number} most */
export const clamp = (value, least, most) => Math.min(Math.max(value, least), most);

/** A share as a number of percent. @param {number} share */
export const percent = (share) => number(Math.round(share * 100));

/** How far an arrow key moves something; null for other keys. @param {KeyboardEvent} event */
export function stepOf(event) {
  const arrow = ARROWS[event.key];
  if (!arrow) return null;
  event.preventDefault();
  const step = event.shiftKey ? STEP_LARGE : STEP;
  return { x: arrow[0] * step, y: arrow[1] * step };
}

/**
 * @param {{
 *   url: string, alt: string, children?: Children, isMarked: boolean,
 *   onPoint: (point: Point, isFirst: boolean) => void
 * }} props `onPoint`: where the pointer is while it is pressed; `isFirst`: where it was pressed
 */
export function MarkedPicture({ url, alt, children, isMarked, onPoint }) {
  const pressed = useRef(false);
  const report = (/** @type {Pressed} */ event, /** @type {boolean} */ isFirst) => {
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
    onPoint(
      {
        x: clamp((event.clientX - left) / width, 0, 1),
        y: clamp((event.clientY - top) / height, 0, 1),
      },
      isFirst,
    );
  };
  const press = (/** @type {Pressed} */ event) => {
    if (!isMarked) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    pressed.current = true;
    report(event, true);
  };
  const release = () => {
    pressed.current = false;
  };
  return html`
    <div
      class=${isMarked ? "cut-picture marked" : "cut-picture"}
      onPointerDown=${press}
      onPointerMove=${(/** @type {Pressed} */ event) => pressed.current && report(event, false)}
      onPointerUp=${release}
      onPointerCancel=${release}
    >
      <img src=${url} alt=${alt} draggable="false" />
      ${children}
    </div>
  `;
}
