// The profile of something that is made, where there are several.
import { html } from "../html.js";
import { t } from "../i18n.js";
import { client } from "../client.js";
import { activeProfiles, profiles } from "../store.js";
import { Field } from "./field.js";

/** The names of profiles by id, as options of a field. @returns {[string, string][]} */
export const profileOptions = () => (profiles.value ?? []).map(({ id, name }) => [id, name]);

/** The same of clients that something can be made for. @returns {[string, string][]} */
export const activeOptions = () => activeProfiles.value.map(({ id, name }) => [id, name]);

/** @param {{value: string, onInput: (id: string) => void}} props */
export function ProfileField(props) {
  const options = activeOptions();
  if (options.length < 2) return null;
  return html`<${Field} label=${t("Client")} options=${options} ...${props} />`;
}

/** With which profile something new begins: that of the client that was chosen. */
export function firstProfile() {
  const choices = activeProfiles.value;
  const chosen =
    choices.find(({ id }) => id === client.value) ??
    choices.find(({ isDefault }) => isDefault) ??
    choices[0];
  return chosen?.id ?? "";
}
