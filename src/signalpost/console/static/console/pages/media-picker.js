// Choosing files of the library, from the composer.
import { html, useState } from "../html.js";
import { get } from "../api.js";
import { t, tn } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Empty } from "../components/empty.js";
import { Loaded } from "../components/loaded.js";
import { More } from "../components/more.js";
import { MediaCard, MediaFilters, PAGE } from "./media-parts.js";

/** @typedef {import("signalpost/api").Schemas["Media"]} Media */
/** @typedef {import("signalpost/api").Schemas["Media"]} MediaData */

/**
 * @param {{
 *   profileId: string, chosen: string[], max: number, onChoose: (media: MediaData[]) => void,
 *   onClose: () => void
 * }} props
 */
export default function MediaPicker({ profileId, chosen, max, onChoose, onClose }) {
  const [filters, setFilters] = useState(
    /** @type {Record<string, string>} */ ({ q: "", kind: "", described: "" }),
  );
  const [selected, setSelected] = useState(/** @type {Media[]} */ ([]));
  const loaded = useLoad(() => get("/media", { ...filters, limit: PAGE }), Object.values(filters));
  const select = (/** @type {Media} */ media, /** @type {boolean} */ isOn) =>
    setSelected((/** @type {Media[]} */ old) => [
      ...old.filter((item) => item.id !== media.id),
      ...(isOn && old.length < max ? [media] : []),
    ]);
  const usable = (/** @type {Media[]} */ data) =>
    data.filter(
      (media) =>
        media.status === "ready" &&
        !chosen.includes(media.id) &&
        (!media.profileId || media.profileId === profileId),
    );
  return html`
    <${Dialog}
      wide
      title=${t("Choose files")}
      onClose=${onClose}
      onSubmit=${() => selected.length && onChoose(selected)}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Cancel")}<//>
          <${Button} kind="primary" type="submit" aria-disabled=${selected.length ? undefined : "true"}>
            ${tn(selected.length, "Add {n} file", "Add {n} files")}
          <//>
        `
      }
    >
      <${MediaFilters}
        filters=${filters}
        set=${(/** @type {Record<string, string>} */ change) =>
          setFilters((old) => ({ ...old, ...change }))
        }
      />
      <${Loaded} loaded=${loaded} lines=${6}>
        ${(/** @type {typeof loaded.data} */ page) =>
          usable(page.data).length ? html`
            <ul class="media-grid small-cards">
              ${usable(page.data).map((media) => html`
                <${MediaCard}
                  key=${media.id}
                  media=${media}
                  isSelected=${selected.some((item) => item.id === media.id)}
                  onSelect=${(/** @type {boolean} */ isOn) => select(media, isOn)}
                />
              `)}
            </ul>
            <${More}
              path="/media"
              query=${{ ...filters, limit: PAGE }}
              page=${page}
              setPage=${loaded.setData}
              summary=${tn(page.data.length, "{n} file shown", "{n} files shown")}
            />
          ` : html`
            <${Empty} title=${t("No file to choose")} icon="media">
              ${t("Files that you add to posts or upload under Media can be used again here.")}
            <//>
          `
        }
      <//>
    <//>
  `;
}
