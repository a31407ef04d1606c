// What each network gets of a picture of a post, and what must stay in view wherever it is cut.
import { html, useState } from "../html.js";
import { get, local, patch } from "../api.js";
import { t } from "../i18n.js";
import { useAction, useLoad } from "../hooks.js";
import { may, networkName, platforms } from "../store.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Loaded } from "../components/loaded.js";
import { NetworkLogo } from "../components/network-logo.js";
import Focal from "./cut-focal.js";
import { CutPart, isWhole } from "./cut-part.js";
import { viewOf } from "./preview-post.js";

/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("../draft.js").File} File */
/** @typedef {import("./cut-picture.js").Point} Point */
/** @typedef {import("signalpost/api").Schemas["Crop"]} Crop */
/** @typedef {import("signalpost/api").Schemas["Media"]} Media */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */
/**
 * @typedef {{
 *   file: File, files: File[], draft: Draft, accounts: PlatformAccount[], set: (file: File) => void,
 *   onClose: () => void
 * }} Props
 */

/** What a browser cannot show. */
const UNSHOWN = new Set(["image/heic", "image/heif"]);

/** @param {Props} props */
export default function CutDialog(props) {
  const loaded = useLoad(() => get(`/media/${props.file.mediaId}`), [props.file.mediaId]);
  const title = t("What networks get of {name}", { name: props.file.name || t("File") });
  if (loaded.data) return html`<${Opened} ...${props} title=${title} media=${loaded.data} />`;
  return html`
    <${Dialog} wide title=${title} onClose=${props.onClose}>
      <${Loaded} loaded=${loaded} lines=${9}>
        ${() => null}
      <//>
    <//>
  `;
}

/** The networks of these accounts that take pictures. @param {PlatformAccount[]} accounts */
function networksOf(accounts) {
  const taking = new Set(
    (platforms.value ?? []).filter(({ rules }) => rules?.media.image).map(({ platform }) => platform),
  );
  return [...new Set(accounts.map(({ platform }) => platform))].filter((platform) => taking.has(platform));
}

/** @param {Props & {title: string, media: Media}} props */
function Opened({ file, files, draft, accounts, set, onClose, title, media }) {
  const networks = networksOf(accounts);
  const [tab, setTab] = useState(networks[0] ?? "");
  const [point, setPoint] = useState(media.focalPoint);
  const [crops, setCrops] = useState(/** @type {Record<string, Crop>} */ (file.own?.crops ?? {}));
  const url = local((UNSHOWN.has(media.mimeType) ? media.thumbnailUrl : media.url) ?? "");
  const [busy, save] = useAction(async () => {
    if (point !== media.focalPoint) await patch(`/media/${media.id}`, { focalPoint: point });
    const { crops: _, ...own } = file.own ?? {};
    const chosen = Object.entries(crops).filter(([, crop]) => !isWhole(crop));
    set({
      ...file,
      own: chosen.length ? { ...own, crops: Object.fromEntries(chosen) } : own,
      picture: { width: media.width, height: media.height, focalPoint: point },
    });
    onClose();
  });
  const setCrop = (/** @type {Crop | undefined} */ crop) => {
    const { [tab]: _, ...others } = crops;
    setCrops(crop ? { ...others, [tab]: crop } : others);
  };
  return html`
    <${Dialog}
      wide
      title=${title}
      onClose=${onClose}
      onSubmit=${save}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Cancel")}<//>
          <${Button} kind="primary" type="submit" busy=${busy}>
            ${t("Save")}
          <//>
        `
      }
    >
      <${Tabs} networks=${networks} crops=${crops} tab=${tab} setTab=${setTab} />
      ${tab ? html`
        <${CutPart}
          key=${tab}
          url=${url}
          alt=${file.altText || media.fileName}
          size=${{ width: media.width ?? 1, height: media.height ?? 1 }}
          network=${networkName(tab)}
          view=${viewFor(tab, draft, accounts, files)}
          crop=${crops[tab]}
          focal=${point}
          set=${setCrop}
        />
      ` : html`
        <${Focal} url=${url} alt=${file.altText || media.fileName} point=${point} set=${setPoint} />
      `}
    <//>
  `;
}

/**
 * @param {string} platform @param {Draft} draft @param {PlatformAccount[]} accounts @param {File[]} files
 */
function viewFor(platform, draft, accounts, files) {
  const account = accounts.find((candidate) => candidate.platform === platform);
  const options = { ...draft.options?.[platform], ...(account && draft.own?.[account.id]?.options) };
  const network = platforms.value?.find((candidate) => candidate.platform === platform);
  return viewOf(
    network?.appearance ?? { views: [], marks: [], card: "none", cardRatio: null },
    options,
    files,
  );
}

/**
 * @param {{
 *   networks: string[], crops: Record<string, Crop>, tab: string, setTab: (tab: string) => void
 * }} props
 */
function Tabs({ networks, crops, tab, setTab }) {
  return html`
    <div class="segmented cut-tabs" role="group" aria-label=${t("What is cut")}>
      ${networks.map((platform) => html`
        <${Button}
          key=${platform}
          kind="quiet"
          aria-pressed=${tab === platform ? "true" : "false"}
          onClick=${() => setTab(platform)}
        >
          <${NetworkLogo} platform=${platform} /> ${networkName(platform)} ${crops[platform] ? " •" : ""}
        <//>
      `)}
      ${may("media:write") && html`
        <${Button}
          kind="quiet"
          aria-pressed=${tab === "" ? "true" : "false"}
          onClick=${() => setTab("")}
        >
          ${t("What must stay in view")}
        <//>
      `}
    </div>
  `;
}
