// What all posts of a client have in common: language, hashtags, watermark, parameters of links.
import { html } from "../html.js";
import { get } from "../api.js";
import { t } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { languagesOfPosts } from "../languages-of-posts.js";
import { Field } from "../components/field.js";

const PICTURES_MAX = 100;

/** @typedef {import("signalpost/api").Schemas["UtmIn"]} Utm */
/** @typedef {{language: string, hashtags: string, watermark: string, utm: Utm}} Brand */

/** What there is of it. @param {import("../store.js").Profile | null} client @returns {Brand} */
export const brandOf = (client) => ({
  language: client?.language ?? "",
  hashtags: (client?.defaultHashtags ?? []).join(" "),
  watermark: client?.watermarkMediaId ?? "",
  utm: client?.defaultUtm ?? {},
});

/**
 * What the service is sent of it.
 * @param {Brand} brand
 */
export const bodyOfBrand = ({ language, hashtags, watermark, utm }) => ({
  language: language || null,
  defaultHashtags: hashtags.split(/[\s,]+/).filter(Boolean),
  watermarkMediaId: watermark || null,
  defaultUtm: Object.values(utm).some(Boolean)
    ? Object.fromEntries(Object.entries(utm).map(([name, value]) => [name, value || null]))
    : null,
});

/** The names are those of the parameters, in every language. */
const PARAMETERS = /** @type {const} */ (["source", "medium", "campaign"]);

/**
 * @param {{
 *   clientId: string | undefined, fields: Brand, refused: Record<string, string>,
 *   change: (values: Partial<Brand>) => void
 * }} props
 */
export function BrandFields({ clientId, fields, refused, change }) {
  const pictures = useLoad(() => get("/media", { kind: "image", limit: PICTURES_MAX }), []);
  const usable = (pictures.data?.data ?? []).filter(
    ({ status, profileId }) => status === "ready" && (!profileId || profileId === clientId),
  );
  const isAway = fields.watermark && !usable.some(({ id }) => id === fields.watermark);
  return html`
    <${Field}
      label=${t("Language of the posts")}
      options=${[["", t("not said")], ...languagesOfPosts(fields.language)]}
      value=${fields.language}
      onInput=${(/** @type {string} */ language) => change({ language })}
      error=${refused.language}
    />
    <${Field}
      label=${t("Hashtags")}
      hint=${t("Captions by rules add those for which there is room.")}
      value=${fields.hashtags}
      onInput=${(/** @type {string} */ hashtags) => change({ hashtags })}
      error=${refused.defaultHashtags}
    />
    <${Field}
      label=${t("Watermark")}
      hint=${t("A picture of the library that is put on the client's own pictures.")}
      options=${[
        ["", t("no watermark")],
        ...(isAway ? [[fields.watermark, t("the picture of today")]] : []),
        ...usable.map(({ id, fileName }) => [id, fileName]),
      ]}
      value=${fields.watermark}
      onInput=${(/** @type {string} */ watermark) => change({ watermark })}
      error=${refused.watermarkMediaId}
    />
    <${Parameters} utm=${fields.utm} error=${refused.defaultUtm} change=${change} />
  `;
}

/** @param {{utm: Utm, error?: string, change: (values: Partial<Brand>) => void}} props */
function Parameters({ utm, error, change }) {
  return html`
    <fieldset>
      <legend class="legend">${t("Parameters of links (UTM)")}</legend>
      <div class="row">
        ${PARAMETERS.map((name) => html`
          <${Field}
            label=${html`<span lang="en">utm_${name}</span>`}
            value=${utm[name] ?? ""}
            maxlength="100"
            onInput=${(/** @type {string} */ value) => change({ utm: { ...utm, [name]: value.trim() } })}
          />
        `)}
      </div>
      <p class="hint">
        ${t("New posts of the client carry them at each link. Without a source it is the network.")}
      </p>
      ${error && html`<p class="error">${error}</p>`}
    </fieldset>
  `;
}
