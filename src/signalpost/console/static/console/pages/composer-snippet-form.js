// A snippet, as it is written.
import { html } from "../html.js";
import { patch, post } from "../api.js";
import { Field } from "../components/field.js";
import { FormDialog, useForm } from "../components/form.js";
import { toast } from "../components/toasts.js";
import { t } from "../i18n.js";
import { VARIABLES, unknownIn } from "../snippet-variables.js";
import { me, profiles } from "../store.js";

/** @typedef {import("signalpost/api").Schemas["Snippet"]} Snippet */

/**
 * @param {{
 *   snippet: Partial<Snippet>, draft: import("../draft.js").Draft, done: (saved: Snippet) => unknown,
 *   onClose: () => void
 * }} props `snippet`: without an id, a new one
 */
export function SnippetForm({ snippet, draft, done, onClose }) {
  const first = { name: snippet.name ?? "", text: snippet.text ?? "", profileId: snippet.profileId ?? "" };
  const form = useForm(first, async ({ name, text, profileId }) => {
    const saved = snippet.id
      ? await patch(
          `/snippets/${snippet.id}`,
          { name, text },
          { headers: { "If-Match": `"${snippet.version}"` } },
        )
      : await post("/snippets", { name, text, profileId: profileId || null });
    toast(t("Saved."));
    onClose();
    await done(saved);
  });
  const unknown = unknownIn(form.values.text);
  const client = (profiles.value ?? []).find(({ id }) => id === draft.profileId);
  return html`
    <${FormDialog}
      title=${snippet.id ? t("Change {name}", { name: snippet.name ?? "" }) : t("New snippet")}
      form=${form}
      submit=${t("Save")}
      onClose=${onClose}
    >
      <${Field} label=${t("Name")} maxlength="100" autofocus ...${form.field("name")} />
      <${Field}
        label=${t("Text")}
        rows=${6}
        dir="auto"
        maxlength="5000"
        hint=${t("Filled in as it is inserted: {words}.", {
          words: VARIABLES.map((name) => `{${name}}`).join(", "),
        })}
        ...${form.field("text")}
      >
        ${unknown.length > 0 && html`
          <p class="hint" role="status">
            ${t("No variable, stays as it is: {words}.", { words: unknown.join(", ") })}
          </p>
        `}
      <//>
      ${!snippet.id && client && me.value.profileIds === null && html`
        <${Field}
          label=${t("Client")}
          options=${[
            [client.id, client.name],
            ["", t("All clients")],
          ]}
          ...${form.field("profileId")}
        />
      `}
    <//>
  `;
}
