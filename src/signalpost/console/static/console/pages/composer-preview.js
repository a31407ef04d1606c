// A post as an account will show it, while it is written.
import { html } from "../html.js";
import { loadTexts, tn } from "../i18n.js";
import { networkName, platforms } from "../store.js";
import { stylesheet } from "../stylesheet.js";
import { PostPreview } from "./preview-post.js";

await Promise.all([loadTexts("preview"), stylesheet("pages/preview.css")]);

/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */
/** @typedef {import("signalpost/api").Schemas["PostValidation"]} PostValidation */
/** @typedef {PostValidation["targets"][0] | undefined} Checked */

/** @type {import("./preview-post.js").Shown["appearance"]} */
const UNKNOWN = { views: [], marks: ["link"], card: "none", cardRatio: null };

/** @typedef {import("signalpost/api").Schemas["Crop"]} Crop */

/**
 * What is left of a picture, in shares: as the service says it, or else what was chosen a moment ago.
 * @param {Draft["media"][0]} file @param {string} platform
 * @param {import("signalpost/api").Schemas["DerivedMedia"] | undefined} derived
 */
function partOf({ picture, own }, platform, derived) {
  const chosen = /** @type {Record<string, Crop> | undefined} */ (own?.crops)?.[platform] ?? null;
  if (!derived?.part || !picture?.width || !picture.height) return chosen;
  const { left, top, width, height } = derived.part;
  return {
    x: left / picture.width,
    y: top / picture.height,
    width: width / picture.width,
    height: height / picture.height,
  };
}

/**
 * @param {Draft["media"]} files @param {Checked} target @param {Record<string, unknown>} options
 * @param {string} platform
 */
const filesOf = (files, target, options, platform) =>
  files.map((file) => {
    const { mediaId, preview, altText, kind, name } = file;
    const derived = target?.derivedMedia.find((candidate) => candidate.mediaId === mediaId);
    const ratio = options.fit && derived?.width && derived.height ? derived.width / derived.height : null;
    return {
      key: mediaId,
      url: preview,
      alt: altText,
      kind,
      name,
      ratio,
      isPadded: ratio !== null && options.fit === "pad",
      part: kind === "image" ? partOf(file, platform, derived) : null,
    };
  });

/**
 * @param {Draft} draft @param {PlatformAccount} account @param {Checked} target
 * @returns {import("./preview-post.js").Shown}
 */
function shownOf(draft, account, target) {
  const { id, platform } = account;
  const own = draft.own?.[id] ?? {};
  const options = { ...draft.options?.[platform], ...own.options };
  const network = platforms.value?.find((candidate) => candidate.platform === platform);
  return {
    platform,
    network: networkName(platform),
    name: account.displayName,
    username: account.username,
    appearance: network?.appearance ?? UNKNOWN,
    title: network?.rules?.title ? (own.title ?? draft.title) : "",
    text: draft.variants[id] ?? draft.text,
    overflowAt: target?.overflowAt ?? null,
    files: filesOf(own.media ?? draft.media, target, options, platform),
    link: draft.link,
    thread: account.capabilities.thread
      ? (draft.thread ?? []).map(({ text, media }, index) => ({
          text,
          overflowAt: target?.threadOverflows[index] ?? null,
          files: filesOf(media, target, options, platform),
        }))
      : [],
    firstComment: account.capabilities.firstComment ? draft.firstComment : "",
    options,
  };
}

/** @param {{draft: Draft, account: PlatformAccount | undefined, checked: PostValidation | null}} props */
export default function Preview({ draft, account, checked }) {
  if (!account) return null;
  const target = checked?.targets.find((candidate) => candidate.accountId === account.id);
  return html`
    <${PostPreview} content=${shownOf(draft, account, target)}>
      ${target && target.derivedMedia.length > 0 && html`
        <p class="pv-ours">
          ${tn(
            target.derivedMedia.length,
            "{n} file is converted for this network.",
            "{n} files are converted for this network.",
          )}
        </p>
      `}
    <//>
  `;
}
