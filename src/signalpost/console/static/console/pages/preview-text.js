// A text as a network shows it: what it makes links of, where it is folded, and what does not fit.
import { html, useLayoutEffect, useRef, useState } from "../html.js";
import { t } from "../i18n.js";

/** @typedef {import("signalpost/api").Schemas["PlatformView"]} View */
/** @typedef {{text: string, start: number, mark: string}} Piece `start`: in the text as it was written */

// More is not shown: nobody reads it here, and a page must not hang by what was pasted.
const SHOWN_MAX = 20_000;
// Thousands of accents on one letter are nothing that can be read, and take a browser minutes to draw.
const STACKED = /(\p{M}{32})\p{M}+/gu;
const LINK = String.raw`(?<link>https?:\/\/[^\s<>"]{1,2000})`;
const HASHTAG = String.raw`(?<hashtag>#[\p{L}\p{N}\p{M}_]{1,200})`;
const MENTION = String.raw`(?<mention>@[\w.-]{0,99}\w(?:@[\w.-]{1,199}\w)?)`;
const MARKED = new RegExp(String.raw`(?<![\p{L}\p{N}_@/&])(?:${LINK}|${HASHTAG}|${MENTION})`, "gu");
// As the service finds them; of a mention on LinkedIn, readers see the name.
const NAMED = /@\[([^[\]()]{1,200})\]\(urn:li:(?:person|organization):[\w-]{1,100}\)/g;

/**
 * The text in pieces, each of them plain or a link of some kind.
 * @param {string} text @param {string[]} marks what the network makes links of @param {string} platform
 * @returns {Piece[]}
 */
export function piecesOf(text, marks, platform) {
  /** @type {Piece[]} */
  const pieces = [];
  let at = 0;
  const plain = (/** @type {number} */ until) => {
    if (until > at) pieces.push({ text: text.slice(at, until), start: at, mark: "" });
  };
  const add = (/** @type {number} */ start, /** @type {number} */ end, label = "", mark = "") => {
    if (start < at) return;
    plain(start);
    pieces.push({ text: label || text.slice(start, end), start, mark });
    at = end;
  };
  const matches = [
    ...(platform === "linkedin" ? text.matchAll(NAMED) : []),
    ...[...text.matchAll(MARKED)].filter((match) => marks.some((mark) => match.groups?.[mark])),
  ].sort((a, b) => a.index - b.index);
  for (const match of matches) {
    const mark = marks.find((kind) => match.groups?.[kind]) ?? "mention";
    add(match.index, match.index + match[0].length, match.groups ? "" : match[1], mark);
  }
  plain(text.length);
  return pieces;
}

/** Where a text of more than so many characters is cut; null: it has no more. */
export function cutAt(/** @type {string} */ text, /** @type {number | null} */ characters) {
  if (characters === null || text.length <= characters) return null;
  let count = 0;
  for (const { index } of new Intl.Segmenter().segment(text)) if (count++ === characters) return index;
  return null;
}

/**
 * @param {{
 *   text: string, overflowAt?: number | null, view: View, marks: string[], platform: string, author?: string
 * }} props `overflowAt`: where what does not fit begins; `author`: stands before it as on Instagram
 */
export function Text({ text: written, overflowAt = null, view, marks, platform, author }) {
  const [isOpen, setOpen] = useState(false);
  const [clamped, setClamped] = useState("");
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const isWhole = isOpen || overflowAt !== null;
  const text = written.slice(0, SHOWN_MAX).toWellFormed();
  const cut = isWhole ? null : cutAt(text, view.foldCharacters);
  const lines = isWhole ? null : view.foldLines;
  // Measured once for a text: the button that follows from it changes how high the text is.
  const isClamped = lines !== null && clamped === text;
  useLayoutEffect(() => {
    const { scrollHeight = 0, clientHeight = 0 } = box.current ?? {};
    if (lines !== null && scrollHeight > clientHeight + 2) setClamped(text);
  }, [text, lines]);
  if (!text) return null;
  const more = (isClamped || cut !== null) && html`
    <button
      type="button"
      class=${isClamped ? "pv-more at-end" : "pv-more"}
      aria-expanded="false"
      onClick=${() => setOpen(true)}
    >
      … ${t("more")}
    </button>
  `;
  const visible = cut === null ? text : text.slice(0, cut).trimEnd();
  return html`
    <div class="pv-text">
      <p
        ref=${box}
        dir="auto"
        class=${lines === null ? undefined : "pv-clamp"}
        style=${lines === null ? undefined : { webkitLineClamp: lines, lineClamp: lines }}
      >
        ${author && html`
          <strong class="pv-author">${author}</strong>${" "}
        `}
        ${piecesOf(visible, marks, platform).map((piece) => marked(piece, overflowAt))}
        ${written.length > SHOWN_MAX && isWhole && "…"}
        ${!isClamped && more}
      </p>
      ${isClamped && more}
    </div>
  `;
}

/** A piece; what does not fit of it is marked. @param {Piece} piece @param {number | null} overflowAt */
function marked({ text, start, mark }, overflowAt) {
  const fits = overflowAt === null ? text.length : Math.max(overflowAt - start, 0);
  const part = (/** @type {string} */ whole) => {
    const some = whole.replace(STACKED, "$1");
    return mark ? html`<span class="pv-link">${some}</span>` : some;
  };
  if (fits >= text.length) return part(text);
  return html`
    ${fits > 0 && part(text.slice(0, fits))}
    <mark class="pv-over">${part(text.slice(fits))}</mark>
  `;
}
