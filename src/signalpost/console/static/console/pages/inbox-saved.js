// Saved replies: what a team answers with again and again.
import { html, useState } from "../html.js";
import { all, patch, post, remove } from "../api.js";
import { client } from "../client.js";
import { Button } from "../components/button.js";
import { ConfirmDialog } from "../components/confirm-dialog.js";
import { Empty } from "../components/empty.js";
import { Field } from "../components/field.js";
import { FormDialog, useForm } from "../components/form.js";
import { List } from "../components/list.js";
import { profileOptions } from "../components/profile-field.js";
import { toast } from "../components/toasts.js";
import { useLoad } from "../hooks.js";
import { t } from "../i18n.js";
import { loadBasics, may } from "../store.js";

/** @typedef {import("signalpost/api").Schemas["SavedReply"]} SavedReply */

export default function SavedReplies() {
  const profileId = client.value;
  const loaded = useLoad(async () => {
    const [replies] = await Promise.all([all("/saved-replies", { profileId }, 200), loadBasics()]);
    return replies;
  }, [profileId]);
  const [edited, setEdited] = useState(/** @type {Partial<SavedReply> | null} */ (null));
  const [deleted, setDeleted] = useState(/** @type {SavedReply | null} */ (null));
  const mayWrite = may("comments:write");
  const add = mayWrite && html`
    <${Button} icon="plus" onClick=${() => setEdited({ profileId: profileId || null })}>
      ${t("New saved reply")}
    <//>
  `;
  return html`
    <${List}
      loaded=${loaded}
      label=${t("Saved replies")}
      columns=${[t("Name"), t("Text"), t("Client"), ""]}
      action=${add}
      empty=${
        html`<${Empty} title=${t("No saved replies")} icon="check" action=${add}>
          ${t("What you answer again and again, you write once.")}
        <//>`
      }
      row=${(/** @type {SavedReply} */ reply) => ({
        key: reply.id,
        cells: [
          html`<strong dir="auto">${reply.name}</strong>`,
          html`<span class="clip" dir="auto">
            ${reply.text}
          </span>`,
          html`<span dir="auto">${clientOf(reply)}</span>`,
          mayWrite && html`
            <span class="row">
              <${Button} kind="quiet" onClick=${() => setEdited(reply)}>
                ${t("Change")}
                <span class="hidden"> ${reply.name}</span>
              <//>
              <${Button} kind="danger" onClick=${() => setDeleted(reply)}>
                ${t("Delete")}
                <span class="hidden"> ${reply.name}</span>
              <//>
            </span>
          `,
        ],
      })}
    />
    ${edited && html`
      <${SavedReplyDialog} reply=${edited} done=${loaded.reload} onClose=${() => setEdited(null)} />
    `}
    ${deleted && html`
      <${ConfirmDialog}
        title=${t("Delete {name}?", { name: deleted.name })}
        confirm=${t("Delete")}
        act=${async () => {
          await remove(`/saved-replies/${deleted.id}`);
          toast(t("Deleted."));
          await loaded.reload();
        }}
        onClose=${() => setDeleted(null)}
      >
        <p>${t("Answers that were made of it stay.")}</p>
      <//>
    `}
  `;
}

/** @param {SavedReply} reply */
const clientOf = ({ profileId }) =>
  profileId ? (profileOptions().find(([id]) => id === profileId)?.[1] ?? "–") : t("All clients");

/** @param {{reply: Partial<SavedReply>, done: () => unknown, onClose: () => void}} props */
export function SavedReplyDialog({ reply, done, onClose }) {
  const first = { name: reply.name ?? "", text: reply.text ?? "", profileId: reply.profileId ?? "" };
  const form = useForm(first, async ({ name, text, profileId }) => {
    if (reply.id) await patch(`/saved-replies/${reply.id}`, { name, text });
    else await post("/saved-replies", { name, text, profileId: profileId || null });
    toast(t("Saved."));
    onClose();
    await done();
  });
  return html`
    <${FormDialog}
      title=${reply.id ? t("Change {name}", { name: reply.name ?? "" }) : t("New saved reply")}
      form=${form}
      submit=${t("Save")}
      onClose=${onClose}
    >
      <${Field} label=${t("Name")} maxlength="100" autofocus ...${form.field("name")} />
      <${Field}
        label=${t("Text")}
        rows=${5}
        maxlength="10000"
        hint=${t("{variable} becomes the name of whoever is answered.", { variable: "{{author}}" })}
        ...${form.field("text")}
      />
      ${!reply.id && html`
        <${Field}
          label=${t("Client")}
          options=${[["", t("All clients")], ...profileOptions()]}
          ...${form.field("profileId")}
        />
      `}
    <//>
  `;
}
