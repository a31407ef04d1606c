// A person or network in one letter, a client by its logo or colour.
import { html } from "../html.js";
import { dropPicture, pictures, usePictures } from "../pictures.js";

/** The initial of a network or person, in a colour of its own. @param {{name: string}} props */
export function Avatar({ name }) {
  const hue = [...name].reduce((sum, character) => sum + (character.codePointAt(0) ?? 0), 0) % 6;
  return html`
    <span class=${`avatar hue${hue}`} aria-hidden="true">
      ${(name[0] ?? "?").toUpperCase()}
    </span>
  `;
}

/**
 * The logo of a client, or its colour.
 * @param {{client: {color: string | null, avatarMediaId: string | null}}} props
 */
export function ClientMark({ client: { color, avatarMediaId } }) {
  usePictures([avatarMediaId]);
  const url = avatarMediaId && pictures.value[avatarMediaId];
  return url ? html`
    <img class="client-logo" src=${url} alt="" onError=${() => dropPicture(avatarMediaId)} />
  ` : html`
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="6" fill=${color ?? "none"} stroke="currentColor" />
    </svg>
  `;
}
