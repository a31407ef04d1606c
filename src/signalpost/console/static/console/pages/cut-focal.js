// The focal point of a picture: what stays in view wherever it is cut.
import { html } from "../html.js";
import { t } from "../i18n.js";
import { Button } from "../components/button.js";
import { MarkedPicture, clamp, percent, stepOf } from "./cut-picture.js";

/** @typedef {import("./cut-picture.js").Point} Point */

const MIDDLE = { x: 0.5, y: 0.5 };

/** In thousandths, which is finer than anybody can point. @param {number} share */
const rounded = (share) => Math.round(share * 1000) / 1000;

/** @param {{url: string, alt: string, point: Point | null, set: (point: Point | null) => void}} props */
export default function Focal({ url, alt, point, set }) {
  const { x, y } = point ?? MIDDLE;
  const show = (/** @type {Point} */ place) =>
    set({ x: rounded(clamp(place.x, 0, 1)), y: rounded(clamp(place.y, 0, 1)) });
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const step = stepOf(event);
    if (step) show({ x: x + step.x, y: y + step.y });
  };
  return html`
    <div class="cut">
      <${MarkedPicture} url=${url} alt=${alt} isMarked onPoint=${show}>
        <span
          class="cut-point"
          style=${{ left: `${x * 100}%`, top: `${y * 100}%` }}
          role="slider"
          tabindex="0"
          aria-label=${t("What must stay in view")}
          aria-valuemin="0"
          aria-valuemax="100"
          aria-valuenow=${Math.round(x * 100)}
          aria-valuetext=${t("{x} % from the left, {y} % from the top", { x: percent(x), y: percent(y) })}
          onKeyDown=${onKey}
        />
      <//>
      <p class="hint">
        ${t(
          "Press what matters, or move the point with the arrow keys. It stays in view wherever this picture is cut.",
        )}
      </p>
      ${point && html`
        <${Button} kind="quiet" icon="close" onClick=${() => set(null)}>
          ${t("Back to the middle")}
        <//>
      `}
    </div>
  `;
}
