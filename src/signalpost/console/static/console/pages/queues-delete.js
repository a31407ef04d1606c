// The question before a queue is deleted.
import { html } from "../html.js";
import { remove } from "../api.js";
import { ConfirmDialog } from "../components/confirm-dialog.js";
import { toast } from "../components/toasts.js";
import { t, tn } from "../i18n.js";
import { go } from "../router.js";

/** @param {{queue: import("signalpost/api").Schemas["SlotQueue"], onClose: () => void}} props */
export default function DeleteQueue({ queue, onClose }) {
  const act = async () => {
    const { postsKept } = await remove(`/queues/${queue.id}`, {
      headers: { "If-Match": `"${queue.version}"` },
    });
    toast(
      postsKept
        ? tn(postsKept, "Deleted. {n} post keeps its time.", "Deleted. {n} posts keep their times.")
        : t("Deleted."),
    );
    go("queues");
  };
  return html`
    <${ConfirmDialog}
      title=${t("Delete {name}?", { name: queue.name })}
      confirm=${t("Delete")}
      act=${act}
      onClose=${onClose}
    >
      <p>${t("Posts that have a time keep it. Nobody gets a time of this queue any more.")}</p>
    <//>
  `;
}
