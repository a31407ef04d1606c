// Posts that are not finished: those of the service, and what only this browser has.
import { html, useState } from "../html.js";
import { get, post as send, remove } from "../api.js";
import { t } from "../i18n.js";
import { useAction, useLoad } from "../hooks.js";
import { titleOf } from "../post-parts.js";
import { go, to } from "../router.js";
import { profiles } from "../store.js";
import { Time } from "../time.js";
import { Button, LinkButton } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Loaded } from "../components/loaded.js";
import { toast, toastProblem } from "../components/toasts.js";
import { allKept, forget, keep } from "./composer-kept.js";

/** @typedef {import("./composer-draft.js").Saving} Saving */
/** @typedef {import("./composer-kept.js").KeptDraft} KeptDraft */
/** @typedef {import("signalpost/api").Schemas["Post"]} Post */

const ROWS_MAX = 25;

/** @param {{saver: Saving, onClose: () => void}} props */
export default function Drafts({ saver, onClose }) {
  const [entries, setEntries] = useState(allKept);
  const loaded = useLoad(() => get("/posts", { status: "draft", limit: ROWS_MAX }), []);
  const others = entries.filter(({ keptId }) => keptId !== saver.keptId).slice(0, ROWS_MAX);
  const entryOf = new Map(others.map((entry) => [entry.draft.id, entry]));
  return html`
    <${Dialog}
      wide
      title=${t("Drafts")}
      onClose=${onClose}
      actions=${
        html`
          <${LinkButton} href=${to("posts", { status: "draft" })}>${t("All drafts")}<//>
          <${LinkButton} href=${to("compose")} kind="primary" icon="compose">
            ${t("Write a post")}
          <//>
        `
      }
    >
      <${Loaded} loaded=${loaded}>
        ${(/** @type {{data: Post[]}} */ { data }) => html`
          <ul class="list">
            ${others
              .filter(({ draft }) => !data.some((post) => post.id === draft.id))
              .map((entry) => html`
                <${KeptRow}
                  key=${entry.keptId}
                  entry=${entry}
                  reload=${() => setEntries(allKept())}
                />
              `)}
            ${data.map((post) => html`
              <${Row}
                key=${post.id}
                post=${post}
                entry=${entryOf.get(post.id)}
                isOpen=${post.id === saver.draft.id}
                reload=${loaded.reload}
              />
            `)}
          </ul>
          ${!data.length && !others.length && html`<p class="soft">${t("There are no drafts.")}</p>`}
        `}
      <//>
    <//>
  `;
}

/** @param {{post: Post, entry: KeptDraft | undefined, isOpen: boolean, reload: () => Promise<void>}} props */
function Row({ post, entry, isOpen, reload }) {
  const [busy, discard] = useAction(async () => {
    await trash(post.id, () => {
      if (entry) keep(entry.keptId, entry.draft, entry.base ?? undefined);
      return reload();
    });
    if (entry) forget(entry.keptId);
    await reload();
  });
  return html`
    <li>
      <span class="grow">
        ${isOpen ? html`
          <strong>${titleOf(post).slice(0, 120)}</strong>
        ` : html`
          <a href=${to(`compose/${post.id}`, { kept: entry?.keptId })}>
            ${titleOf(post).slice(0, 120)}
          </a>
        `}
        <br />
        <span class="soft small">
          ${clientOf(post.profileId)} <${Time} at=${post.updatedAt} kind="relative" />
          ${post.createdBy.name && ` · ${post.createdBy.name}`}
          ${isOpen && ` · ${t("open here")}`}
          ${entry && ` · ${t("with changes that only this browser has")}`}
        </span>
      </span>
      <${LinkButton} href=${to("compose", { copy: post.id })} kind="quiet" icon="copy">
        ${t("Duplicate")}
      <//>
      ${!isOpen && html`
        <${Button} kind="quiet" icon="trash" busy=${busy} onClick=${discard}>
          ${t("Discard")}
        <//>
      `}
    </li>
  `;
}

/** @param {{entry: KeptDraft, reload: () => void}} props */
function KeptRow({ entry, reload }) {
  const { keptId, draft, at } = entry;
  const discard = () => {
    drop(entry, reload);
    reload();
  };
  return html`
    <li>
      <span class="grow">
        <a href=${to(draft.id ? `compose/${draft.id}` : "compose", { kept: keptId })}>
          ${(draft.title || draft.text || t("Empty draft")).slice(0, 120)}
        </a>
        <br />
        <span class="soft small">
          ${clientOf(draft.profileId)}
          ${at > 0 && html`<${Time} at=${new Date(at).toISOString()} kind="relative" />`}
          ${` · ${t("only in this browser")}`}
        </span>
      </span>
      <${Button} kind="quiet" icon="trash" onClick=${discard}>
        ${t("Discard")}
      <//>
    </li>
  `;
}

/** The client, where there are several. @param {string} profileId */
const clientOf = (profileId) =>
  (profiles.value?.length ?? 0) > 1
    ? `${profiles.value?.find((profile) => profile.id === profileId)?.name ?? ""} · `
    : "";

/** @param {string} id @param {() => unknown} undone */
async function trash(id, undone) {
  await remove(`/posts/${id}`);
  toast(t("Moved to the trash."), {
    undo: () => void send(`/posts/${id}/restore`, {}).then(undone, toastProblem),
  });
}

/** @param {KeptDraft} entry @param {() => unknown} undone */
function drop({ keptId, draft, base }, undone) {
  forget(keptId);
  toast(t("Draft discarded."), {
    undo: () => {
      keep(keptId, draft, base ?? undefined);
      undone();
    },
  });
}

/** Discard what is open. @param {Saving} saver */
export async function discardOpen(saver) {
  await saver.save(); // so that nothing that is under way comes after it
  const { keptId, draft, base } = saver;
  if (draft.id) await trash(draft.id, () => go(`compose/${draft.id}`));
  saver.end();
  if (!draft.id) drop({ keptId, draft, base, at: 0 }, () => go("compose", { kept: keptId }));
  go("posts", { status: "draft" });
}
