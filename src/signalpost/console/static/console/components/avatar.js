// A person or network in one letter, a client in its colour.
import { html } from "../html.js";

/** The initial of a network or person, in a colour of its own. @param {{name: string}} props */
export function Avatar({ name }) {
  const hue = [...name].reduce((sum, character) => sum + (character.codePointAt(0) ?? 0), 0) % 6;
  return html`
    <span class=${`avatar hue${hue}`} aria-hidden="true">
      ${(name[0] ?? "?").toUpperCase()}
    </span>
  `;
}

/** The colour of a client. @param {{color: string | null}} props */
export function Swatch({ color }) {
  return html`
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="6" fill=${color ?? "none"} stroke="currentColor" />
    </svg>
  `;
}
