// What only the owner does with the workspace as a whole: take it along, and delete it.
import { html, useState } from "../html.js";
import { Problem, ROOT, askToSignIn, get, post, remove } from "../api.js";
import { Icon } from "../icons.js";
import { language, t } from "../i18n.js";
import { size } from "../units.js";
import { useAction } from "../hooks.js";
import { useLive } from "../live.js";
import { chooseWorkspace, me, workspaces } from "../store.js";
import { Time } from "../time.js";
import { Button } from "../components/button.js";
import { Field } from "../components/field.js";
import { FormDialog, useForm } from "../components/form.js";
import { Card } from "../components/page.js";
import { ProblemBox } from "../components/problem-box.js";

/** @typedef {import("signalpost/api").Schemas["WorkspaceExport"]} WorkspaceExport */

export default function Owner() {
  const [deleting, setDeleting] = useState(false);
  return html`
    <${Export} />
    <${Card} title=${t("Danger zone")} class="danger">
      <p>
        ${t(
          "Delete the workspace: nobody gets in any more and nothing is published. For 30 days an operator can restore it; after that posts, files, accounts, members, keys and history are erased.",
        )}
      </p>
      <p>${t("Export it first, if anything in it may be needed again.")}</p>
      <${Button} kind="danger" icon="trash" onClick=${() => setDeleting(true)}>
        ${t("Delete the workspace")}
      <//>
    <//>
    ${deleting && html`<${Delete} onClose=${() => setDeleting(false)} />`}
  `;
}

/**
 * Call, and once more after the password: only who has just signed in may carry everything away.
 * @template R
 * @param {() => Promise<R>} act
 */
async function justSignedIn(act) {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "forbidden") throw error;
    await askToSignIn();
    return act();
  }
}

function Export() {
  const path = /** @type {const} */ (`/workspaces/${me.value.workspace.id}/export`);
  const [exported, setFound] = useState(/** @type {WorkspaceExport | null} */ (null));
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const [isNone, setNone] = useState(false);
  const keep = (/** @type {WorkspaceExport} */ value) => {
    setFound(value);
    setProblem(null);
    setNone(false);
  };
  const [making, make] = useAction(() => justSignedIn(() => post(path)).then(keep, setProblem));
  const [looking, look] = useAction(() =>
    justSignedIn(() => get(path)).then(keep, (error) =>
      error.status === 404 ? setNone(true) : setProblem(error),
    ),
  );
  useLive(() => get(path).then(keep, setProblem), { seconds: 2, active: exported?.status === "pending" });
  return html`
    <${Card} title=${t("Take the workspace along")}>
      <p>
        ${t(
          "Everything of the workspace in one file that other programs read: posts, files, numbers, people, history. It has no secrets, but personal data: keep it safe.",
        )}
      </p>
      <p class="soft">
        ${t(
          "An operator makes a workspace of it again, here or elsewhere, with: signalpost workspaces import. Nothing is published by that.",
        )}
      </p>
      ${problem && html`<${ProblemBox} problem=${problem} />`}
      <div role="status">
        ${isNone && html`<p class="soft">${t("There is no export yet.")}</p>`}
        ${exported && html`<${State} exported=${exported} />`}
      </div>
      <div class="actions">
        ${exported?.status === "ready" && html`
          <a class="button primary" href=${exported.downloadUrl} download>
            <${Icon} name="link" />
            <span>${t("Download")}</span>
          </a>
        `}
        <${Button}
          kind=${exported?.status === "ready" ? "plain" : "primary"}
          busy=${making || exported?.status === "pending"}
          onClick=${make}
        >
          ${exported && exported.status !== "pending" ? t("Export again") : t("Export the workspace")}
        <//>
        ${!exported && html`
          <${Button} busy=${looking} onClick=${look}>
            ${t("Show the last export")}
          <//>
        `}
      </div>
    <//>
  `;
}

/** @param {{exported: WorkspaceExport}} props */
function State({ exported }) {
  if (exported.status === "pending")
    return html`
      <p>${t("It is being made; you can leave this page. A mail says when it is ready.")}</p>
    `;
  if (exported.status === "ready")
    return html`
      <p>
        <${Icon} name="check" /> ${t("Ready: {size}", { size: size(exported.sizeBytes ?? 0) })} · ${t("made")}${" "}
        <${Time} at=${exported.finishedAt} kind="relative" /> · ${t("kept until")}${" "}
        <${Time} at=${exported.expiresAt} />
      </p>
    `;
  return html`
    <p class="warn">
      <${Icon} name="warn" />${" "}
      ${exported.status === "expired"
        ? t("The last export has been removed.")
        : t("The last export failed. Try again, or ask the people who run this service.")}
    </p>
  `;
}

/** @param {{onClose: () => void}} props */
function Delete({ onClose }) {
  const { id, name } = me.value.workspace;
  const form = useForm({ typed: "" }, async ({ typed }) => {
    const { erasedAfter } = await remove(`/workspaces/${id}`, { query: { name: typed } });
    const other = workspaces.value.find((workspace) => workspace.id !== id);
    if (other) return chooseWorkspace(other.id);
    localStorage.removeItem("workspace"); // nobody gets in any more: what became of it is said there
    const report = new URLSearchParams({ deleted: erasedAfter.slice(0, 10), lang: language.value });
    location.assign(`${ROOT}/login?${report}`);
  });
  return html`
    <${FormDialog}
      title=${t("Delete {name}?", { name })}
      form=${form}
      kind="danger"
      submit=${t("Delete the workspace")}
      cancel=${t("Keep it")}
      onClose=${onClose}
    >
      <p>
        ${t(
          "What waits to be published is not published. Programs with keys of this workspace are refused from now on.",
        )}
      </p>
      <${Field}
        label=${t("Type the name of the workspace: {name}", { name })}
        autocomplete="off"
        autofocus
        ...${form.field("typed")}
      />
    <//>
  `;
}
