// A new client, or what is changed of one.
import { html, useState } from "../html.js";
import { Problem, newKey, patch, post } from "../api.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Check, Field } from "../components/field.js";
import { toast } from "../components/toasts.js";
import { useAction } from "../hooks.js";
import { t } from "../i18n.js";
import { loadBasics, workspaceZone } from "../store.js";
import { BrandFields, bodyOfBrand, brandOf } from "./clients-brand.js";
import { Logo } from "./clients-logo.js";
import { QueueField, useQueueChoice } from "./clients-queue.js";

/** @typedef {import("../store.js").Profile} Profile */

const COLOR = "#0f6e56";

/**
 * What the service refuses of a field, in words.
 * @param {Problem} problem
 * @returns {Record<string, string>}
 */
function refusedFields(problem) {
  const texts = /** @type {Record<string, string>} */ ({
    "/name:not_unique": t("Another client has this name."),
    "/name:required": t("Give the client a name."),
    name: t("Between 1 and 100 characters."),
    timezone: t("There is no such time zone. Choose one of the list."),
    defaultHashtags: t("At most 30 words, with spaces between them."),
    defaultUtm: t("At most 100 characters each."),
  });
  return Object.fromEntries(
    problem.issues.map(({ path, code }) => [
      path.split("/")[1],
      texts[`${path}:${code}`] ?? texts[path.split("/")[1]] ?? t("This cannot be saved as it is."),
    ]),
  );
}

/**
 * @param {{
 *   client: Profile | null, onClose: () => void, onArchive: (client: Profile) => void,
 *   onDelete: (client: Profile) => void
 * }} props `client`: null for a new one
 */
export default function ClientForm({ client, onClose, onArchive, onDelete }) {
  const [key] = useState(newKey);
  const [fields, setFields] = useState({
    name: client?.name ?? "",
    color: client?.color ?? COLOR,
    timezone: client?.timezone ?? workspaceZone.peek(),
    approvalRequired: client?.approvalRequired ?? false,
    avatarMediaId: client?.avatarMediaId ?? null,
  });
  const [brand, setBrand] = useState(brandOf(client));
  const queue = useQueueChoice(client?.id);
  const [refused, setRefused] = useState(/** @type {Record<string, string>} */ ({}));
  const change = (/** @type {Partial<typeof fields>} */ values) => setFields({ ...fields, ...values });
  const [busy, save] = useAction(async () => {
    setRefused({});
    const body = { ...fields, ...bodyOfBrand(brand) };
    try {
      if (client)
        await patch(`/profiles/${client.id}`, body, { headers: { "If-Match": `"${client.version}"` } });
      else await post("/profiles", body, { key });
    } catch (problem) {
      if (!(problem instanceof Problem) || !problem.issues.length) throw problem;
      setRefused(refusedFields(problem));
      return;
    }
    await queue.save();
    toast(client ? t("Saved.") : t("{name} is a client now.", { name: fields.name }));
    await loadBasics(true);
    onClose();
  });
  return html`
    <${Dialog}
      title=${client ? t("Change {name}", { name: client.name }) : t("New client")}
      onClose=${onClose}
      onSubmit=${save}
      actions=${
        html`
          ${client && html`
            <${Button} kind="danger" icon="trash" onClick=${() => onDelete(client)}>
              ${t("Delete…")}
            <//>
            <${Button} onClick=${() => onArchive(client)}>${t("Archive…")}<//>
          `}
          <${Button} onClick=${onClose}>${t("Cancel")}<//>
          <${Button} kind="primary" type="submit" busy=${busy}>
            ${t("Save")}
          <//>
        `
      }
    >
      <${Fields} fields=${fields} refused=${refused} change=${change} />
      <${Logo}
        clientId=${client?.id ?? ""}
        color=${fields.color}
        mediaId=${fields.avatarMediaId}
        onChange=${(/** @type {string | null} */ avatarMediaId) => change({ avatarMediaId })}
      />
      <${QueueField} choice=${queue} />
      <${BrandFields}
        clientId=${client?.id}
        fields=${brand}
        refused=${refused}
        change=${(/** @type {Partial<typeof brand>} */ values) => setBrand({ ...brand, ...values })}
      />
    <//>
  `;
}

/**
 * @param {{
 *   fields: {name: string, color: string, timezone: string, approvalRequired: boolean},
 *   refused: Record<string, string>, change: (values: Record<string, string | boolean | null>) => void
 * }} props
 */
function Fields({ fields, refused, change }) {
  return html`
    <${Field}
      label=${t("Name")}
      value=${fields.name}
      maxlength="100"
      onInput=${(/** @type {string} */ name) => change({ name })}
      error=${refused.name}
      autofocus
    />
    <${Field}
      label=${t("Colour")}
      type="color"
      value=${fields.color}
      onInput=${(/** @type {string} */ color) => change({ color })}
      error=${refused.color}
    />
    <${Field}
      label=${t("Time zone")}
      hint=${t("Times of this client's posts and slots are meant in it.")}
      value=${fields.timezone}
      list="zones"
      onInput=${(/** @type {string} */ timezone) => change({ timezone })}
      error=${refused.timezone}
    />
    <datalist id="zones">
      ${Intl.supportedValuesOf("timeZone").map((name) => html`
        <option value=${name} />
      `)}
    </datalist>
    <${Check}
      label=${t("Posts need an approval")}
      hint=${t("An owner, an admin or an approver decides before a post goes out.")}
      checked=${fields.approvalRequired}
      onChange=${(/** @type {boolean} */ approvalRequired) => change({ approvalRequired })}
    />
  `;
}
