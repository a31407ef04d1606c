// The question before someone leaves a workspace.
import { html } from "../html.js";
import { post } from "../api.js";
import { ConfirmDialog } from "../components/confirm-dialog.js";
import { t } from "../i18n.js";
import { chooseWorkspace, me, workspaces } from "../store.js";

/** @param {{onClose: () => void}} props */
export default function Leave({ onClose }) {
  const { workspace } = me.value;
  const act = async () => {
    await post("/team/leave", undefined, { key: "" });
    chooseWorkspace(workspaces.value.find((other) => other.id !== workspace.id)?.id ?? "");
  };
  return html`
    <${ConfirmDialog}
      title=${t("Leave {name}?", { name: workspace.name })}
      confirm=${t("Leave")}
      keep=${t("Stay")}
      act=${act}
      onClose=${onClose}
    >
      <p>
        ${t(
          "You no longer see it, and your keys for it end. What you wrote stays. Only an invitation brings you back.",
        )}
      </p>
    <//>
  `;
}
