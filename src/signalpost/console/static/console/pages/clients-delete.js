// What it means to delete a client, and doing it.
import { html } from "../html.js";
import { remove } from "../api.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { toast } from "../components/toasts.js";
import { useAction } from "../hooks.js";
import { t, tn } from "../i18n.js";
import { loadBasics } from "../store.js";

/** @param {{client: import("../store.js").Profile, onClose: () => void}} props */
export default function DeleteClient({ client, onClose }) {
  const [busy, act] = useAction(async () => {
    const done = await remove(`/profiles/${client.id}`);
    toast(
      t("{name} is deleted: {accounts}, {posts}.", {
        name: client.name,
        accounts: tn(
          done.accountsDisconnected,
          "{n} account is disconnected",
          "{n} accounts are disconnected",
        ),
        posts: tn(done.postsTrashed, "{n} post is in the trash", "{n} posts are in the trash"),
      }),
    );
    onClose();
    await loadBasics(true);
  });
  return html`
    <${Dialog}
      title=${t("Delete {name}?", { name: client.name })}
      onClose=${onClose}
      onSubmit=${act}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Cancel")}<//>
          <${Button} kind="danger" type="submit" busy=${busy}>
            ${t("Delete the client")}
          <//>
        `
      }
    >
      <p>
        ${tn(
          client.accountCount,
          "Its {n} account is disconnected; posting there again needs a new connection.",
          "Its {n} accounts are disconnected; posting there again needs new connections.",
        )}
      </p>
      <p>
        ${t(
          "Its posts go to the trash for 30 days, and what is scheduled does not go out. What is published stays at the networks.",
        )}
      </p>
    <//>
  `;
}
