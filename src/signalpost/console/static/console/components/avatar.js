// A person or network in one letter.
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
