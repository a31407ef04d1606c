// The language of an account's posts, where its network asks for one: its own, or that of its client.
import { html } from "../html.js";
import { patch } from "../api.js";
import { language, t } from "../i18n.js";
import { may, platforms, profiles } from "../store.js";
import { toast, toastProblem } from "../components/toasts.js";

/** @typedef {import("../html.js").InputEvent} InputEvent */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */

// prettier-ignore
const TAGS = [
  "ar", "bg", "bn", "ca", "cs", "da", "de", "de-AT", "de-CH", "el", "en", "en-GB", "en-US", "es", "es-MX", "et", "eu",
  "fa", "fi", "fr", "fr-CA", "ga", "gl", "he", "hi", "hr", "hu", "id", "is", "it", "ja", "ko", "lt", "lv", "mk", "ms",
  "nb", "nl", "nl-BE", "nn", "pl", "pt", "pt-BR", "ro", "ru", "sk", "sl", "sq", "sr", "sv", "ta", "th", "tr", "uk", "ur",
  "vi", "zh", "zh-Hans", "zh-Hant",
];
const OPTIONS = new Set(["language", "languages"]);

/** Whether posts of a network say in which language they are. @param {string} platform */
export const hasLanguage = (platform) =>
  platforms.value
    ?.find((candidate) => candidate.platform === platform)
    ?.options.some(({ key }) => OPTIONS.has(key)) ?? false;

/** @param {string} tag */
function nameOf(tag) {
  const names = new Intl.DisplayNames([language.value.slice(0, 2)], { type: "language" });
  return names.of(tag) ?? tag;
}

/** @param {{account: PlatformAccount, reload: () => Promise<void>}} props */
export function LanguageChoice({ account, reload }) {
  const ofClient = profiles.value?.find(({ id }) => id === account.profileId)?.language;
  const inherited = ofClient
    ? t("The client's: {language}", { language: nameOf(ofClient) })
    : t("The client's: none");
  if (!may("accounts:write")) return account.language ? nameOf(account.language) : inherited;
  const choose = (/** @type {InputEvent} */ event) =>
    patch(`/platforms/accounts/${account.id}`, { language: event.currentTarget.value || null })
      .then(() => toast(t("Saved.")), toastProblem)
      .then(reload);
  const tags = [...new Set(account.language ? [...TAGS, account.language] : TAGS)];
  const named = tags
    .map((tag) => /** @type {[string, string]} */ ([tag, nameOf(tag)]))
    .sort(([, name], [, next]) => name.localeCompare(next, document.documentElement.lang));
  return html`
    <select aria-label=${t("Language of the posts")} onChange=${choose}>
      <option value="" selected=${!account.language}>
        ${inherited}
      </option>
      ${named.map(([tag, name]) => html`
        <option value=${tag} selected=${tag === account.language}>
          ${name}
        </option>
      `)}
    </select>
  `;
}
