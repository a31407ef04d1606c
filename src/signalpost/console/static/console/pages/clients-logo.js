// The logo of a client: a picture of the library, which is uploaded here.
import { html, useRef } from "../html.js";
import { ClientMark } from "../components/avatar.js";
import { Button } from "../components/button.js";
import { toast } from "../components/toasts.js";
import { useAction } from "../hooks.js";
import { t } from "../i18n.js";
import { addPictures } from "../pictures.js";
import { upload } from "../upload.js";

/**
 * @param {{
 *   clientId: string, color: string, mediaId: string | null, onChange: (mediaId: string | null) => void
 * }} props `clientId`: "" for a new client
 */
export function Logo({ clientId, color, mediaId, onChange }) {
  const picker = useRef(/** @type {HTMLInputElement | null} */ (null));
  const [busy, send] = useAction(async (/** @type {File} */ file) => {
    const media = await upload(file, clientId, () => {}, new AbortController().signal);
    if (media.kind !== "image") toast(t("A logo is a picture."));
    else {
      addPictures([media]);
      onChange(media.id);
    }
  });
  return html`
    <div class="field">
      <span class="legend">${t("Logo")}</span>
      <div class="actions logo-field">
        <${ClientMark} client=${{ color, avatarMediaId: mediaId }} />
        <${Button} icon="image" busy=${busy} onClick=${() => picker.current?.click()}>
          ${mediaId ? t("Another logo") : t("Choose a logo")}
        <//>
        ${mediaId && html`
          <${Button} kind="quiet" onClick=${() => onChange(null)}>
            ${t("Without a logo")}
          <//>
        `}
      </div>
      <input
        ref=${picker}
        type="file"
        hidden
        aria-label=${t("Choose a logo")}
        accept="image/png,image/jpeg,image/webp"
        onChange=${(/** @type {import("../html.js").InputEvent} */ event) => {
          const [file] = event.currentTarget.files ?? [];
          event.currentTarget.value = "";
          if (file) void send(file);
        }}
      />
    </div>
  `;
}
