// A post as an account will show it.
import { html } from "../html.js";
import { Icon } from "../icons.js";
import { t, tn } from "../i18n.js";
import { networkName } from "../store.js";
import { NetworkLogo } from "../components/network-logo.js";
import { Card } from "../components/page.js";

/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */
/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("signalpost/api").Schemas["PostValidation"]} PostValidation */

// As the service finds them; of a mention, readers see the name.
const MENTION = /@\[([^[\]()]{1,200})\]\(urn:li:(?:person|organization):[\w-]{1,100}\)/;

/** A text as readers see it. @param {string} text @param {string} platform */
function readable(text, platform) {
  if (platform !== "linkedin") return text;
  return text.split(MENTION).map((part, index) => (index % 2 ? html`<b>${part}</b>` : part));
}

/** @param {{draft: Draft, account: PlatformAccount, checked: PostValidation | null}} props */
export default function Preview({ draft, account, checked }) {
  if (!account) return null;
  const text = draft.variants[account.id] ?? draft.text;
  const media = draft.own?.[account.id]?.media ?? draft.media;
  const target = checked?.targets.find((candidate) => candidate.accountId === account.id);
  const over = target && target.textLength > target.limit;
  return html`
    <${Card} class="preview">
      <div class="name">
        <${NetworkLogo} platform=${account.platform} />
        <span>
          <strong>${account.displayName || account.username}</strong>
          <br />
          <span class="soft">
            @${account.username} · ${networkName(account.platform)}
          </span>
        </span>
      </div>
      <p class=${over ? "post-text over" : "post-text"} dir="auto">
        ${text ? readable(text, account.platform) : html`<span class="soft">${t("No text")}</span>`}
      </p>
      ${media.length > 0 && html`
        <div class=${`thumbs many${Math.min(media.length, 4)}`}>
          ${media.slice(0, 4).map((file) =>
            file.preview ? html`
              <img class="thumb" key=${file.mediaId} src=${file.preview} alt=${file.altText} />
            ` : html`
              <span class="thumb soft" key=${file.mediaId}>
                <${Icon} name="image" label=${file.name || t("File")} />
              </span>
            `,
          )}
        </div>
      `}
      ${target && target.derivedMedia.length > 0 && html`
        <p class="soft small">
          ${tn(
            target.derivedMedia.length,
            "{n} file is converted for this network.",
            "{n} files are converted for this network.",
          )}
        </p>
      `}
      ${draft.firstComment && html`
        <p class="soft small">
          ${t("First comment:")} ${draft.firstComment}
        </p>
      `}
    <//>
  `;
}
