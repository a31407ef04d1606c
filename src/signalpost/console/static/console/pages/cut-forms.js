// A file beside what was made of it for networks: how it looks, how large it is.
import { html, useState } from "../html.js";
import { local } from "../api.js";
import { loadTexts, number, t } from "../i18n.js";
import { networkName } from "../store.js";
import { stylesheet } from "../stylesheet.js";
import { size } from "../units.js";
import { Button } from "../components/button.js";

await Promise.all([loadTexts("cut"), stylesheet("pages/cut.css")]);

/** @typedef {import("signalpost/api").Schemas["Media"]} Media */

/** @param {{media: Media, children?: import("../html.js").Children}} props `children`: the file as it is */
export default function Forms({ media, children }) {
  const [index, setIndex] = useState(-1);
  const form = media.variants[index];
  const current = form ?? media;
  const isVideo = form?.mimeType.startsWith("video/");
  return html`
    <div class="segmented cut-tabs" role="group" aria-label=${t("Which form of the file")}>
      <${Button} kind="quiet" aria-pressed=${form ? "false" : "true"} onClick=${() => setIndex(-1)}>
        ${t("Original")}
      <//>
      ${media.variants.map(({ platform }, position) => html`
        <${Button}
          key=${position}
          kind="quiet"
          aria-pressed=${position === index ? "true" : "false"}
          onClick=${() => setIndex(position)}
        >
          ${t("For {network}", { network: networkName(platform) })}
        <//>
      `)}
    </div>
    ${!form ? (
      children
    ) : isVideo ? html`
      <video class="media-large" controls src=${local(form.url ?? "")} />
    ` : html`
      <img class="media-large" src=${local(form.url ?? "")} alt=${media.altText ?? ""} />
    `}
    <p class="hint" role="status">
      ${t("{width} × {height} pixels, {size}", {
        width: number(current.width ?? 0),
        height: number(current.height ?? 0),
        size: size(current.size),
      })}
    </p>
  `;
}
