// How the link page of a client looks, roughly: the page itself may stand in no other one.
import { html } from "../html.js";
import { t } from "../i18n.js";
import { pictures, usePictures } from "../pictures.js";
import { ClientMark } from "../components/avatar.js";
import { Card } from "../components/page.js";

const COLOR = "#0f6e56";

/** Black or white, whichever has more contrast on a colour, as the page has it. @param {string} color */
function textOn(color) {
  const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255);
  const linear = channels.map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  );
  const luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  return (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) ? "#000" : "#fff";
}

/**
 * @param {{
 *   client: import("../store.js").Profile, values: import("./clients-link-page.js").Values
 * }} props
 */
export function Preview({ client, values }) {
  const color = client.color ?? COLOR;
  usePictures(
    values.links.map(({ mediaId }) => mediaId),
    client.id,
  );
  return html`
    <${Card} title=${t("How it looks")}>
      <div class="link-preview" style=${{ "--accent-of-client": color, "--text-on-accent": textOn(color) }}>
        ${client.avatarMediaId && html`<${ClientMark} client=${client} />`}
        <p class="link-preview-title" dir="auto">
          ${values.title}
        </p>
        ${values.text && html`
          <p class="soft" dir="auto">
            ${values.text}
          </p>
        `}
        <ul class="plain">
          ${values.links
            .filter(({ title }) => title.trim())
            .map(({ key, title, mediaId }) => html`
              <li key=${key}>
                ${mediaId && pictures.value[mediaId] && html`<img src=${pictures.value[mediaId]} alt="" />`}
                <span dir="auto">${title}</span>
              </li>
            `)}
        </ul>
      </div>
      <p class="hint">
        ${t("In the colour and with the logo of the client. Accounts and posts follow below its links.")}
      </p>
    <//>
  `;
}
