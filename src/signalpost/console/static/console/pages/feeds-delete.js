// The question before a feed is deleted.
import { html } from "../html.js";
import { remove } from "../api.js";
import { ConfirmDialog } from "../components/confirm-dialog.js";
import { toast } from "../components/toasts.js";
import { t } from "../i18n.js";
import { go } from "../router.js";

/** @param {{feed: import("signalpost/api").Schemas["Feed"], onClose: () => void}} props */
export default function DeleteFeed({ feed, onClose }) {
  const act = async () => {
    await remove(`/feeds/${feed.id}`, { headers: { "If-Match": `"${feed.version}"` } });
    toast(t("Deleted."));
    go("feeds");
  };
  return html`
    <${ConfirmDialog}
      title=${t("Delete {name}?", { name: feed.title ?? feed.url })}
      confirm=${t("Delete")}
      act=${act}
      onClose=${onClose}
    >
      <p>${t("Its posts stay. Nothing of what it publishes from now on becomes a post.")}</p>
    <//>
  `;
}
