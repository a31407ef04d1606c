// What it means to delete a client, and doing it.
import { html } from "../html.js";
import { remove } from "../api.js";
import { ConfirmDialog } from "../components/confirm-dialog.js";
import { toast } from "../components/toasts.js";
import { t, tn } from "../i18n.js";
import { loadBasics } from "../store.js";

/** @param {{client: import("../store.js").Profile, onClose: () => void}} props */
export default function DeleteClient({ client, onClose }) {
  const act = async () => {
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
  };
  return html`
    <${ConfirmDialog}
      title=${t("Delete {name}?", { name: client.name })}
      confirm=${t("Delete the client")}
      act=${act}
      onClose=${onClose}
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
