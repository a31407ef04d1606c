// Charts, drawn for this console as SVG. Each has its numbers as text beside it: a table, or the cell's own
// words.
import { html, useState } from "./html.js";
import { locale } from "./i18n.js";
import { stylesheet } from "./stylesheet.js";

await stylesheet("charts.css");

/** @typedef {{name: string, values: (number | null)[]}} Line */

const WIDTH = 1_000;
const HEIGHT = 100;

/** @param {number} n */
const compact = (n) =>
  new Intl.NumberFormat(locale(), { notation: "compact", maximumFractionDigits: 1 }).format(n);

/** The end of an axis that shows `n`: 1, 2 or 5 times a power of ten. @param {number} n */
function axisEnd(n) {
  const power = 10 ** Math.floor(Math.log10(Math.max(n, 1)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((end) => end >= n) ?? n;
}

/**
 * The path of a line; where a value is unknown it has a gap, and a value between gaps is a dot.
 * @param {(number | null)[]} values
 * @param {number} end
 */
function path(values, end) {
  const step = values.length > 1 ? WIDTH / (values.length - 1) : 0;
  let drawing = false;
  return values
    .map((value, index) => {
      if (value === null) {
        drawing = false;
        return "";
      }
      const point = `${(index * step).toFixed(1)} ${(HEIGHT - (value / end) * HEIGHT).toFixed(2)}`;
      const command = drawing ? `L${point}` : `M${point}h0`;
      drawing = true;
      return command;
    })
    .join("");
}

/**
 * Lines over the days. The arrow keys and the pointer move along them; what is there is said above the chart.
 * @param {{
 *   label: string, days: string[], lines: Line[], say: (index: number) => [string, string, string]
 * }} props `say`: before the value, the value, after it
 */
export function LineChart({ label, days, lines, say }) {
  const last = days.length - 1;
  const [chosen, setChosen] = useState(last);
  const at = Math.min(chosen, last);
  const end = axisEnd(Math.max(1, ...lines.flatMap((line) => line.values.map((value) => value ?? 0))));
  const onMove = (/** @type {PointerEvent} */ event) => {
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    setChosen(Math.max(0, Math.min(last, Math.round(((event.clientX - box.left) / box.width) * last))));
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const next = {
      ArrowLeft: at - 1,
      ArrowDown: at - 1,
      ArrowRight: at + 1,
      ArrowUp: at + 1,
      Home: 0,
      End: last,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setChosen(Math.max(0, Math.min(last, next)));
  };
  const x = last ? (at / last) * WIDTH : 0;
  const words = say(at);
  return html`
    <figure class="chart">
      <figcaption class="chart-words">
        ${words[0]}
        <strong>${words[1]}</strong>
        ${words[2]}
      </figcaption>
      <div class="plot" dir="ltr">
        <div class="axis" aria-hidden="true">
          <span>${compact(end)}</span>
          <span>${compact(end / 2)}</span>
          <span>0</span>
        </div>
        <svg
          viewBox=${`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="slider"
          tabindex="0"
          aria-label=${label}
          aria-valuemin="0"
          aria-valuemax=${last}
          aria-valuenow=${at}
          aria-valuetext=${words.join("")}
          onPointerMove=${onMove}
          onPointerDown=${onMove}
          onKeyDown=${onKey}
        >
          ${[0, 50, 100].map((y) => html`
            <path class="grid" d=${`M0 ${y}H${WIDTH}`} />
          `)}
          <path class="cursor" d=${`M${x} 0V${HEIGHT}`} />
          ${lines.map((line, index) => html`
            <path class=${`line tone${index % 5}`} d=${path(line.values, end)} />
          `)}
        </svg>
        <div class="axis days" aria-hidden="true">
          <span>${days[0]}</span>
          ${last > 1 && html`<span>${days[Math.round(last / 2)]}</span>`}
          ${last > 0 && html`<span>${days[last]}</span>`}
        </div>
      </div>
      ${lines.length > 1 && html`<${Legend} lines=${lines} />`}
    </figure>
  `;
}

/** @param {{lines: Line[]}} props */
function Legend({ lines }) {
  return html`
    <ul class="chart-legend">
      ${lines.map((line, index) => html`
        <li>
          <span class=${`swatch tone${index % 5}`} />
          ${line.name}
        </li>
      `)}
    </ul>
  `;
}

/** A line without axes, beside its number. @param {{values: (number | null)[]}} props */
export function Spark({ values }) {
  const present = /** @type {number[]} */ (values.filter((value) => value !== null));
  if (present.length < 2) return null;
  const least = Math.min(...present);
  return html`
    <svg
      class="spark"
      viewBox=${`0 -4 ${WIDTH} ${HEIGHT + 8}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path
        class="line tone0"
        d=${path(
          values.map((value) => (value === null ? null : value - least)),
          Math.max(1, ...present) - least || 1,
        )}
      />
    </svg>
  `;
}

/**
 * How much of a whole: colour by tone, the number beside it.
 * @param {{share: number, tone?: string}} props
 */
export function Bar({ share, tone = "" }) {
  return html`
    <svg class=${`bar ${tone}`} viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      <rect width=${Math.max(0, Math.min(100, share * 100))} height="1" />
    </svg>
  `;
}
