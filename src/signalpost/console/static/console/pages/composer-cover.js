// The picture that is shown for a video: a moment of it, or a file of the library.
import { html, useState } from "../html.js";
import { loadTexts, t } from "../i18n.js";
import { Button } from "../components/button.js";
import { Field } from "../components/field.js";
import { lazyDialog } from "../components/lazy.js";

/** @typedef {{thumbnailTimeMs?: number, thumbnailMediaId?: string} & Record<string, unknown>} Own */

const Picker = lazyDialog(async () => {
  const [module] = await Promise.all([import("./media-picker.js"), loadTexts("media")]);
  return module;
});

/** @param {{profileId: string, own: Own, set: (own: Own) => void}} props */
export default function Cover({ profileId, own, set }) {
  const [isOpen, setOpen] = useState(false);
  const { thumbnailTimeMs, thumbnailMediaId, ...others } = own;
  const time = thumbnailTimeMs === undefined ? {} : { thumbnailTimeMs };
  return html`
    <div class="row">
      <${Field}
        label=${t("Cover of the video, at second")}
        type="number"
        min="0"
        step="any"
        value=${thumbnailTimeMs === undefined ? "" : thumbnailTimeMs / 1000}
        hint=${t("Where a network takes one.")}
        onInput=${(/** @type {string} */ typed) =>
          set({
            ...others,
            ...(thumbnailMediaId ? { thumbnailMediaId } : {}),
            ...(typed === "" ? {} : { thumbnailTimeMs: Math.round(Number(typed) * 1000) }),
          })
        }
      />
      ${thumbnailMediaId ? html`
        <${Button} kind="quiet" icon="close" onClick=${() => set({ ...others, ...time })}>
          ${t("Without a picture of its own")}
        <//>
      ` : html`
        <${Button} kind="quiet" icon="image" onClick=${() => setOpen(true)}>
          ${t("Show a picture instead")}
        <//>
      `}
    </div>
    ${isOpen && html`
      <${Picker}
        profileId=${profileId}
        chosen=${[]}
        max=${1}
        onClose=${() => setOpen(false)}
        onChoose=${(/** @type {{id: string}[]} */ media) => {
          setOpen(false);
          if (media.length) set({ ...others, ...time, thumbnailMediaId: media[0].id });
        }}
      />
    `}
  `;
}
