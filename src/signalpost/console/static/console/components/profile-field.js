// The profile of something that is made or looked for, where there are several.
import { html } from "../html.js";
import { t } from "../i18n.js";
import { filter } from "../router.js";
import { profiles } from "../store.js";
import { Field } from "./field.js";

/** The names of profiles by id, as options of a field. @returns {[string, string][]} */
export const profileOptions = () => (profiles.value ?? []).map(({ id, name }) => [id, name]);

/** @param {{value: string, onInput: (id: string) => void}} props */
export function ProfileField(props) {
  const options = profileOptions();
  if (options.length < 2) return null;
  return html`<${Field} label=${t("Client")} options=${options} ...${props} />`;
}

/**
 * Of which profile rows are shown, as the address says it; `change`: what else changes with it.
 * @param {{value: string, change?: Record<string, string>}} props
 */
export function ProfileFilter({ value, change }) {
  const options = profileOptions();
  if (options.length < 2) return null;
  return html`
    <${Field}
      label=${t("Client")}
      options=${[["", t("All clients")], ...options]}
      value=${value}
      onInput=${(/** @type {string} */ profileId) => filter({ profileId, ...change })}
    />
  `;
}
