// What is added to the links of a post: the campaign parameters of its client, changed or left out.
import { html } from "../html.js";
import { t } from "../i18n.js";
import { networkName, profiles } from "../store.js";
import { Check, Field } from "../components/field.js";
import { NetworkLogo } from "../components/network-logo.js";
import { firstLink, tracked } from "../tracking.js";

/** @typedef {import("../draft.js").Change} Change */
/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("../draft.js").ErrorAt} ErrorAt */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */

const USUAL = /** @type {const} */ (["source", "medium", "campaign"]);
const RARE = /** @type {const} */ (["term", "content"]);

/** @param {{draft: Draft, own: PlatformAccount[], change: Change, errorAt: ErrorAt}} props */
export default function Links({ draft, own, change, errorAt }) {
  const usual = profiles.value?.find(({ id }) => id === draft.profileId)?.defaultUtm ?? null;
  const utm = draft.utm === undefined ? usual : draft.utm;
  const link = firstLink(draft);
  const chosen = own.filter(({ id }) => draft.accountIds.includes(id)).map(({ platform }) => platform);
  const names = [...USUAL, ...RARE.filter((name) => utm?.[name])];
  return html`
    <fieldset>
      <legend class="legend">${t("Links in the post")}</legend>
      <${Check}
        label=${t("Add campaign parameters (UTM)")}
        hint=${usual ? t("The client has some for all of its posts.") : undefined}
        checked=${Boolean(utm)}
        onChange=${(/** @type {boolean} */ isAdded) => change({ utm: isAdded ? (usual ?? {}) : null })}
      />
      ${utm && html`
        <div class="row">
          ${names.map((name) => html`
            <${Field}
              label=${html`<span lang="en">utm_${name}</span>`}
              value=${utm[name] ?? ""}
              placeholder=${name === "source" ? t("the network") : undefined}
              maxlength="100"
              data-steps="true"
              error=${errorAt(`/utm/${name}`)}
              onInput=${(/** @type {string} */ value) =>
                change({ utm: { ...utm, [name]: value.trim() || null } })
              }
            />
          `)}
        </div>
        ${link && html`
          <dl class="facts">
            ${[...new Set(chosen)].map((platform) => html`
              <dt>
                <${NetworkLogo} platform=${platform} /> ${networkName(platform)}
              </dt>
              <dd>
                <code dir="ltr">${tracked(link, utm, platform)}</code>
              </dd>
              `)}
          </dl>
        `}
      `}
    </fieldset>
  `;
}
