// The profile of something that is made, where there are several.
import { html } from "../html.js";
import { t } from "../i18n.js";
import { profiles } from "../store.js";
import { Field } from "./field.js";

/** The names of profiles by id, as options of a field. @returns {[string, string][]} */
export const profileOptions = () => (profiles.value ?? []).map(({ id, name }) => [id, name]);

/** @param {{value: string, onInput: (id: string) => void}} props */
export function ProfileField(props) {
  const options = profileOptions();
  return options.length > 1 && html`<${Field} label=${t("Profile")} options=${options} ...${props} />`;
}
