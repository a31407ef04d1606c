// The language of an account's posts, where its network asks for one: its own, or that of its client.
import { html } from "../html.js";
import { patch } from "../api.js";
import { t } from "../i18n.js";
import { languagesOfPosts, nameOf } from "../languages-of-posts.js";
import { may, platforms, profiles } from "../store.js";
import { toast, toastProblem } from "../components/toasts.js";

/** @typedef {import("../html.js").InputEvent} InputEvent */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */

const OPTIONS = new Set(["language", "languages"]);

/** Whether posts of a network say in which language they are. @param {string} platform */
export const hasLanguage = (platform) =>
  platforms.value
    ?.find((candidate) => candidate.platform === platform)
    ?.options.some(({ key }) => OPTIONS.has(key)) ?? false;

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
  return html`
    <select aria-label=${t("Language of the posts")} onChange=${choose}>
      <option value="" selected=${!account.language}>
        ${inherited}
      </option>
      ${languagesOfPosts(account.language).map(([tag, name]) => html`
        <option value=${tag} selected=${tag === account.language}>
          ${name}
        </option>
      `)}
    </select>
  `;
}
