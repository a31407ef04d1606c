// The part of a picture that a network gets: in proportions that it shows, moved and made smaller.
import { html, useRef, useState } from "../html.js";
import { number, t } from "../i18n.js";
import { Button } from "../components/button.js";
import { Check } from "../components/field.js";
import { MarkedPicture, clamp, percent, stepOf } from "./cut-picture.js";

/** @typedef {import("../html.js").InputEvent} InputEvent */
/** @typedef {import("./cut-picture.js").Point} Point */
/** @typedef {import("signalpost/api").Schemas["Crop"]} Crop */
/** @typedef {import("signalpost/api").Schemas["PlatformView"]} View */
/** @typedef {{width: number, height: number}} Size in pixels */

/** @type {[string, number][]} */
const SHAPES = [
  ["9:16", 9 / 16],
  ["2:3", 2 / 3],
  ["3:4", 3 / 4],
  ["4:5", 4 / 5],
  ["1:1", 1],
  ["16:9", 16 / 9],
  ["1.91:1", 1.91],
];
const WHOLE = { x: 0, y: 0, width: 1, height: 1 };
const TOLERANCE = 0.01;
const PERCENT_MIN = 20;
const PERCENT_STEP = 5;

/** The proportions that a view shows without cutting more off. @param {View} view */
const shapesOf = ({ ratioMin, ratioMax }) =>
  SHAPES.filter(
    ([, ratio]) =>
      ratio >= (ratioMin ?? 0) * (1 - TOLERANCE) && ratio <= (ratioMax ?? Infinity) * (1 + TOLERANCE),
  );

/** Width by height. @param {Crop} crop @param {Size} size */
const ratioOf = (crop, size) => (crop.width * size.width) / (crop.height * size.height);

/** The largest part of these proportions, as shares. @param {number} ratio @param {Size} size */
function largest(ratio, size) {
  const own = size.width / size.height;
  return { width: Math.min(1, ratio / own), height: Math.min(1, own / ratio) };
}

/** A part of this size around a point, as far as there is room. @param {Size} part @param {Point} middle */
const partAt = ({ width, height }, { x, y }) => ({
  x: clamp(x - width / 2, 0, 1 - width),
  y: clamp(y - height / 2, 0, 1 - height),
  width,
  height,
});

/** @param {Crop} crop */
const middleOf = (crop) => ({ x: crop.x + crop.width / 2, y: crop.y + crop.height / 2 });

/** What the network shows of a whole picture: it cuts at the middle. @param {View} view @param {Size} size */
function frameOf({ ratioMin, ratioMax }, size) {
  const ratio = clamp(size.width / size.height, ratioMin ?? 0, ratioMax ?? Infinity);
  return partAt(largest(ratio, size), { x: 0.5, y: 0.5 });
}

/**
 * @param {{
 *   url: string, alt: string, size: Size, network: string, view: View, crop: Crop | undefined,
 *   focal: Point | null, set: (crop: Crop | undefined) => void
 * }} props
 */
export function CutPart({ url, alt, size, network, view, crop, focal, set }) {
  const [showsCovered, setShowsCovered] = useState(false);
  const grip = useRef({ x: 0, y: 0 });
  const part = crop ?? frameOf(view, size);
  const isCovered = Boolean(view.coveredTop ?? view.coveredBottom ?? view.coveredSides);
  const choose = (/** @type {number} */ ratio) =>
    set(partAt(largest(ratio, size), crop ? middleOf(crop) : (focal ?? { x: 0.5, y: 0.5 })));
  const onPoint = (/** @type {Point} */ point, /** @type {boolean} */ isFirst) => {
    const middle = middleOf(part);
    const isInside =
      Math.abs(point.x - middle.x) <= part.width / 2 && Math.abs(point.y - middle.y) <= part.height / 2;
    if (isFirst)
      grip.current = isInside ? { x: middle.x - point.x, y: middle.y - point.y } : { x: 0, y: 0 };
    set(partAt(part, { x: point.x + grip.current.x, y: point.y + grip.current.y }));
  };
  return html`
    <div class="cut">
      <${Shapes} view=${view} size=${size} crop=${crop} choose=${choose} whole=${() => set(undefined)} />
      <${MarkedPicture} url=${url} alt=${alt} isMarked=${Boolean(crop)} onPoint=${onPoint}>
        <${Marked} part=${part} crop=${crop} size=${size} network=${network} set=${set}>
          ${showsCovered && html`<${Covered} view=${view} />`}
        <//>
      <//>
      ${crop && html`<${Amount} crop=${crop} size=${size} set=${set} />`}
      ${isCovered && html`
        <${Check}
          label=${t("Show what the network covers")}
          checked=${showsCovered}
          onChange=${setShowsCovered}
        />
      `}
      <p class="hint" role="status">
        ${crop
          ? t("{network} gets {width} × {height} of {allWidth} × {allHeight} pixels.", {
              network,
              ...pixels(crop, size),
              allWidth: number(size.width),
              allHeight: number(size.height),
            })
          : part.width > 1 - TOLERANCE && part.height > 1 - TOLERANCE
            ? t("{network} gets the whole picture, and shows all of it.", { network })
            : t("{network} gets the whole picture. Its frame shows the middle of it, as marked.", {
                network,
              })}
      </p>
    </div>
  `;
}

/** @param {Crop} crop @param {Size} size */
const pixels = (crop, size) => ({
  width: number(Math.round(crop.width * size.width)),
  height: number(Math.round(crop.height * size.height)),
});

/**
 * @param {{
 *   view: View, size: Size, crop: Crop | undefined, choose: (ratio: number) => void, whole: () => void
 * }} props
 */
function Shapes({ view, size, crop, choose, whole }) {
  const own = crop ? ratioOf(crop, size) : 0;
  return html`
    <div class="segmented" role="group" aria-label=${t("Proportions")}>
      <${Button} kind="quiet" aria-pressed=${crop ? "false" : "true"} onClick=${whole}>
        ${t("Whole picture")}
      <//>
      ${shapesOf(view).map(([name, ratio]) => html`
        <${Button}
          key=${name}
          kind="quiet"
          aria-pressed=${Math.abs(own / ratio - 1) < TOLERANCE ? "true" : "false"}
          onClick=${() => choose(ratio)}
        >
          ${name}
        <//>
      `)}
    </div>
  `;
}

/**
 * @param {{
 *   part: Crop, crop: Crop | undefined, size: Size, network: string, set: (crop: Crop) => void,
 *   children?: import("../html.js").Children
 * }} props
 */
function Marked({ part, crop, size, network, set, children }) {
  const style = {
    left: `${part.x * 100}%`,
    top: `${part.y * 100}%`,
    width: `${part.width * 100}%`,
    height: `${part.height * 100}%`,
  };
  if (!crop)
    return html`
      <span class="cut-part frame" style=${style}>
        ${children}
      </span>
    `;
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const step = stepOf(event);
    const { x, y } = middleOf(crop);
    if (step) set(partAt(crop, { x: x + step.x, y: y + step.y }));
  };
  const room = 1 - crop.width;
  return html`
    <span
      class="cut-part"
      style=${style}
      role="slider"
      tabindex="0"
      aria-label=${t("Part for {network}", { network })}
      aria-valuemin="0"
      aria-valuemax="100"
      aria-valuenow=${room > 0 ? Math.round((crop.x / room) * 100) : 0}
      aria-valuetext=${t("{width} × {height} pixels, {x} % from the left, {y} % from the top", {
        ...pixels(crop, size),
        x: percent(crop.x),
        y: percent(crop.y),
      })}
      onKeyDown=${onKey}
    >
      ${children}
    </span>
  `;
}

/** How much of what fits. @param {{crop: Crop, size: Size, set: (crop: Crop) => void}} props */
function Amount({ crop, size, set }) {
  const most = largest(ratioOf(crop, size), size);
  const value = Math.round((crop.width / most.width) * 100);
  const onInput = (/** @type {InputEvent} */ event) => {
    const share = Number(event.currentTarget.value) / 100;
    set(partAt({ width: most.width * share, height: most.height * share }, middleOf(crop)));
  };
  return html`
    <label class="cut-amount">
      <span>${t("Size")}</span>
      <input
        type="range"
        min=${Math.min(PERCENT_MIN, value)}
        max="100"
        step=${PERCENT_STEP}
        value=${value}
        aria-valuetext=${t("{n} %", { n: value })}
        onInput=${onInput}
      />
    </label>
  `;
}

/** What buttons and names of the network lie upon. @param {{view: View}} props */
function Covered({ view: { coveredTop, coveredBottom, coveredSides } }) {
  const inset = [coveredTop, coveredSides, coveredBottom, coveredSides].map(
    (share) => `${(share ?? 0) * 100}%`,
  );
  return html`
    <span
      class="cut-covered"
      style=${{ "--top": inset[0], "--side": inset[1], "--bottom": inset[2] }}
    />
  `;
}

/** @param {Crop} crop */
export const isWhole = (crop) =>
  ["x", "y", "width", "height"].every(
    (name) =>
      Math.abs(crop[/** @type {keyof Crop} */ (name)] - WHOLE[/** @type {keyof Crop} */ (name)]) < 1e-6,
  );
