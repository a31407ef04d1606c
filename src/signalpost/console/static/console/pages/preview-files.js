// Files of a post as a network shows them: in its proportions, cropped as it crops.
import { html, useState } from "../html.js";
import { Icon } from "../icons.js";
import { t, tn } from "../i18n.js";

/** @typedef {import("signalpost/api").Schemas["PlatformView"]} View */
/**
 * @typedef {{
 *   key: string, url: string, alt: string, kind: string, name: string, ratio: number | null,
 *   isPadded: boolean, part?: import("signalpost/api").Schemas["Crop"] | null
 * }} ShownFile `ratio`: width by height of what is sent; null: as it loads. `isPadded`: on a white canvas.
 * `part`: what is sent of it, in shares; null: all of it
 */

const GRID_MAX = 4;

/** Width by height of the frame in which a file is shown. @param {View} view @param {number | null} own */
export function frameRatio({ ratioMin, ratioMax }, own) {
  const ratio = own ?? (ratioMin && ratioMin === ratioMax ? ratioMin : 1);
  return Math.min(Math.max(ratio, ratioMin ?? 0.4), ratioMax ?? 3);
}

/**
 * Where the picture lies so that the frame is full of its part, cut off at the middle.
 * @param {NonNullable<ShownFile["part"]>} part @param {number} own of the part, width by height
 * @param {number} frame the same of the frame
 */
function placed({ x, y, width, height }, own, frame) {
  const across = Math.max(1, own / frame);
  const down = Math.max(1, frame / own);
  return {
    inset: "auto",
    maxWidth: "none",
    width: `${(across / width) * 100}%`,
    height: `${(down / height) * 100}%`,
    left: `${(-(x * across) / width - (across - 1) / 2) * 100}%`,
    top: `${(-(y * down) / height - (down - 1) / 2) * 100}%`,
  };
}

/** @param {{file: ShownFile, ratio: number | null, view: View, rest?: number}} props */
function Frame({ file, ratio, view, rest = 0 }) {
  const [natural, setNatural] = useState(/** @type {number | null} */ (null));
  const own = natural && file.part ? (natural * file.part.width) / file.part.height : natural;
  const proportion = ratio ?? frameRatio(view, file.ratio ?? own);
  const onLoad = (/** @type {{currentTarget: HTMLImageElement}} */ { currentTarget: image }) =>
    setNatural(image.naturalWidth / image.naturalHeight || null);
  return html`
    <div
      class=${file.isPadded ? "pv-frame padded" : "pv-frame"}
      style=${{ aspectRatio: String(proportion) }}
    >
      ${file.url ? html`
        <img
          src=${file.url}
          alt=${file.alt}
          onLoad=${onLoad}
          style=${own && file.part && !file.isPadded ? placed(file.part, own, proportion) : undefined}
        />
      ` : html`
        <${Icon} name="image" label=${file.name || t("File")} />
      `}
      ${file.kind === "video" && html`<span class="pv-play" aria-hidden="true" />`}
      ${rest > 0 && html`
        <span class="pv-rest" aria-label=${tn(rest, "{n} more file", "{n} more files")}>
          +${rest}
        </span>
      `}
    </div>
  `;
}

/** @param {{files: ShownFile[], view: View}} props */
export function ShownFiles({ files, view }) {
  const [first] = files;
  const fixed = view.ratioMin !== null && view.ratioMin === view.ratioMax ? view.ratioMin : null;
  if (!first)
    return (
      fixed && html`
        <div class="pv-frame empty" style=${{ aspectRatio: String(fixed) }}>
          <${Icon} name="image" />
          <span>${t("A picture or a video belongs here.")}</span>
        </div>
      `
    );
  if (view.kind === "document")
    return html`
      <div class="pv-pages">
        <${Icon} name="posts" />
        <span>${first.name || t("Document")}</span>
      </div>
    `;
  if (files.length === 1)
    return html`<${Frame} key=${first.key} file=${first} ratio=${fixed} view=${view} />`;
  if (view.files === "carousel") return html`<${Carousel} files=${files} view=${view} fixed=${fixed} />`;
  const visible = files.slice(0, GRID_MAX);
  return html`
    <div class=${`pv-grid of${visible.length}`}>
      ${visible.map((file, index) => html`
        <${Frame}
          key=${file.key}
          file=${file}
          ratio=${1}
          view=${view}
          rest=${index === GRID_MAX - 1 ? files.length - GRID_MAX : 0}
        />
      `)}
    </div>
  `;
}

/** All have the shape of the first. @param {{files: ShownFile[], view: View, fixed: number | null}} props */
function Carousel({ files, view, fixed }) {
  const ratio = fixed ?? frameRatio(view, files[0].ratio ?? 1);
  const label = tn(files.length, "{n} file", "{n} files");
  return html`
    <div class="pv-carousel" role="group" aria-label=${label} tabindex="0">
      ${files.map((file) => html`
        <${Frame} key=${file.key} file=${file} ratio=${ratio} view=${view} />
      `)}
    </div>
    <p class="pv-dots" aria-hidden="true">
      ${files.slice(0, 10).map(() => html`
        <i />
      `)}
    </p>
  `;
}
