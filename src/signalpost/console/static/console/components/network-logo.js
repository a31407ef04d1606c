// The glyph of a network, from `networks.svg`.
import { html } from "../html.js";
import { fileAddress } from "../stylesheet.js";

const SHEET = fileAddress("networks.svg");
const DRAWN =
  " facebook instagram tiktok youtube x linkedin threads pinterest bluesky mastodon reddit telegram discord" +
  " slack google_business tumblr wordpress ghost devto lemmy nostr matrix sandbox ";

/**
 * The mark of a network; its name stands beside it as text. One that is not drawn has its initial.
 * @param {{platform: string}} props
 */
export const NetworkLogo = ({ platform }) => html`
  <svg class="logo" viewBox="0 0 24 24" aria-hidden="true">
    ${DRAWN.includes(` ${platform} `) ? html`
      <use href=${`${SHEET}#${platform}`} />
    ` : html`
      <text x="12" y="18" text-anchor="middle" font-size="17">
        ${platform[0]?.toUpperCase()}
      </text>
    `}
  </svg>
`;
