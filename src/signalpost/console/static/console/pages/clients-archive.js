// What it means to archive a client, and doing it: its work has ended for now.
import { html, useState } from "../html.js";
import { Problem, patch } from "../api.js";
import { LinkButton } from "../components/button.js";
import { ConfirmDialog } from "../components/confirm-dialog.js";
import { Dialog } from "../components/dialog.js";
import { toast } from "../components/toasts.js";
import { t, tn } from "../i18n.js";
import { to } from "../router.js";
import { loadBasics } from "../store.js";

/** @typedef {import("../store.js").Profile} Profile */

/** @param {{client: Profile, onClose: () => void}} props */
export default function ArchiveClient({ client, onClose }) {
  const [waiting, setWaiting] = useState(0);
  const act = async () => {
    try {
      await patch(
        `/profiles/${client.id}`,
        { archived: true },
        { headers: { "If-Match": `"${client.version}"` } },
      );
    } catch (problem) {
      if (!(problem instanceof Problem) || problem.code !== "posts_waiting") throw problem;
      setWaiting(problem.document.waitingPosts);
      return;
    }
    toast(t("{name} is archived.", { name: client.name }));
    onClose();
    await loadBasics(true);
  };
  const title = t("Archive {name}?", { name: client.name });
  if (waiting)
    return html`<${Waiting} client=${client} title=${title} waiting=${waiting} onClose=${onClose} />`;
  return html`
    <${ConfirmDialog}
      title=${title}
      confirm=${t("Archive the client")}
      kind="primary"
      act=${act}
      onClose=${onClose}
    >
      <p>
        ${t("Nothing is written or published for it any more, and its feeds rest, until you restore it.")}
      </p>
      <p>
        ${t(
          "Its posts, numbers, files and accounts stay and can be looked at. It still counts in your plan.",
        )}
      </p>
    <//>
  `;
}

/** @param {{client: Profile, title: string, waiting: number, onClose: () => void}} props */
function Waiting({ client, title, waiting, onClose }) {
  return html`
    <${Dialog}
      title=${title}
      onClose=${onClose}
      actions=${
        html`<${LinkButton}
          href=${to("posts", { profileId: client.id, status: "scheduled" })}
          kind="primary"
        >
          ${t("Show these posts")}
        <//>`
      }
    >
      <p role="alert">
        ${tn(
          waiting,
          "{n} post of this client is still to be published, or repeats.",
          "{n} posts of this client are still to be published, or repeat.",
        )}
      </p>
      <p>${t("Cancel those that are not to go out, and end those that repeat. Then archive the client.")}</p>
    <//>
  `;
}
