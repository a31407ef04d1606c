// What the library and the picker of files share: cards, filters, sizes.
import { html } from "../html.js";
import { local } from "../api.js";
import { Icon } from "../icons.js";
import { t, tn } from "../i18n.js";
import { inView, size } from "../units.js";
import { stylesheet } from "../stylesheet.js";
import { Field } from "../components/field.js";
import { TypedField } from "../components/typed-field.js";

await stylesheet("pages/media.css");

/** @typedef {import("signalpost/api").Schemas["Media"]} Media */
/** @typedef {import("signalpost/api").Schemas["MediaList"]} MediaList */
/** @typedef {import("signalpost/api").Schemas["Media"]} MediaData */

/** @typedef {import("../html.js").InputEvent} InputEvent */

export const PAGE = 48;
const KINDS = /** @type {() => Record<string, string>} */ (
  () => ({
    image: t("Image"),
    gif: t("GIF"),
    video: t("Video"),
    audio: t("Audio"),
    document: t("Document"),
  })
);
/** @param {string} kind */
export const kindName = (kind) => KINDS()[kind] ?? kind;

/** Whether people who cannot see it learn what it shows. @param {Media} media */
export const needsDescription = (media) => ["image", "gif", "video"].includes(media.kind) && !media.altText;

/** @param {{media: MediaData}} props */
function Picture({ media }) {
  const address = media.thumbnailUrl ?? (["image", "gif"].includes(media.kind) ? media.url : null);
  return address ? html`
    <img
      class="thumb"
      src=${local(address)}
      alt=""
      loading="lazy"
      style=${inView(media.focalPoint)}
    />
  ` : html`
    <span class="thumb soft">
      <${Icon} name=${media.kind === "document" ? "posts" : "media"} />
    </span>
  `;
}

/**
 * @param {{
 *   media: MediaData, isSelected: boolean, onSelect: (isOn: boolean) => void, onOpen?: () => void
 * }} props
 */
export function MediaCard({ media, isSelected, onSelect, onOpen }) {
  const preview = html`
    <${Picture} media=${media} />
    <span class="media-name">${media.fileName}</span>
  `;
  return html`
    <li class=${isSelected ? "media selected" : "media"}>
      <label class="media-check">
        <input
          type="checkbox"
          checked=${isSelected}
          onChange=${(/** @type {InputEvent} */ event) => onSelect(event.currentTarget.checked)}
          aria-label=${t("Select {name}", { name: media.fileName })}
        />
      </label>
      ${onOpen ? html`
        <button type="button" class="media-open" onClick=${onOpen}>
          ${preview}
        </button>
      ` : html`
        <button
          type="button"
          class="media-open"
          tabindex="-1"
          aria-hidden="true"
          onClick=${() => onSelect(!isSelected)}
        >
          ${preview}
        </button>
      `}
      <span class="media-facts soft">
        ${kindName(media.kind)} · ${size(media.size)}
      </span>
      <span class="media-facts">
        ${media.status !== "ready" ? html`
          <span class="warn">
            <${Icon} name="clock" />
            ${t("Not ready")}
          </span>
        ` : needsDescription(media) ? html`
          <span class="warn">
            <${Icon} name="warn" />
            ${t("No description")}
          </span>
        ` : media.altText ? html`
          <span class="ok-text" title=${media.altText}>
            <${Icon} name="check" />
            ${t("Described")}
          </span>
        ` : html`
          <span />
        `}
        <span class="soft">
          ${media.usedByPosts ? tn(media.usedByPosts, "{n} use", "{n} uses") : t("unused")}
        </span>
      </span>
    </li>
  `;
}

/**
 * @param {{
 *   filters: Record<string, string>, set: (change: Record<string, string>) => void
 * }} props
 */
export function MediaFilters({ filters, set }) {
  return html`
    <form
      class="row filters"
      role="search"
      onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}
    >
      <${TypedField}
        label=${t("Search")}
        type="search"
        value=${filters.q}
        maxlength="200"
        placeholder=${t("Words in name or description")}
        onPause=${(/** @type {string} */ q) => set({ q })}
      />
      <${Field}
        label=${t("Kind")}
        options=${[["", t("All kinds")], ...Object.entries(KINDS())]}
        value=${filters.kind}
        onInput=${(/** @type {string} */ kind) => set({ kind })}
      />
      <${Field}
        label=${t("Description")}
        options=${[
          ["", t("All files")],
          ["false", t("Without a description")],
          ["true", t("Described")],
        ]}
        value=${filters.described}
        onInput=${(/** @type {string} */ described) => set({ described })}
      />
    </form>
  `;
}
