// Sending a post, and what to do when it is not taken.
import { html, useRef, useState } from "../html.js";
import { Problem, get, newKey, patch, post as send } from "../api.js";
import { t } from "../i18n.js";
import { bodyOf, draftOf, forget } from "../draft.js";
import { useAction } from "../hooks.js";
import { go, to } from "../router.js";
import { heldSentence } from "../words.js";
import { Button, LinkButton } from "../components/button.js";
import { ProblemBox } from "../components/problem-box.js";
import { toast } from "../components/toasts.js";

/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("signalpost/api").Schemas["Post"]} Post */

/**
 * Why it was not taken, with what can be decided: a duplicate is published anyway, a newer version is loaded
 * or replaced.
 * @param {{
 *   problem: any, draft: Draft,
 *   submit: (purpose: "draft" | "send", decided: {isDuplicate?: boolean, version?: number}) => void,
 *   replace: (draft: Draft) => void
 * }} props
 */
export function Refusal({ problem, draft, submit, replace }) {
  const newest = () => get(`/posts/${draft.id}`);
  const [loading, load] = useAction(async () => replace(draftOf(await newest(), false)));
  const [keeping, keepMine] = useAction(async () => submit("draft", { version: (await newest()).version }));
  const original = problem.code === "duplicate_content" && problem.document.existingPostId;
  return html`
    <${ProblemBox} problem=${problem} />
    ${original && html`
      <p class="actions">
        <${LinkButton} href=${to(`posts/${original}`)}>${t("Look at the other post")}<//>
        <${Button} icon="send" onClick=${() => submit("send", { isDuplicate: true })}>
          ${t("Publish it all the same")}
        <//>
      </p>
    `}
    ${problem.status === 412 && html`
      <p class="actions">
        <${Button} busy=${loading} onClick=${load}>
          ${t("Load what was saved")}
        <//>
        <${Button} busy=${keeping} onClick=${keepMine}>
          ${t("Replace it with this")}
        <//>
      </p>
    `}
  `;
}

/**
 * Sending what is written.
 * @param {Draft} draft
 * @param {boolean} isUploading
 */
export function useSend(draft, isUploading) {
  const [busy, setBusy] = useState("");
  const [refused, setRefused] = useState(/** @type {unknown} */ (null));
  const sending = useRef({ body: "", key: "" });
  /**
   * Send it; a repetition of the same content has the same key, so it never becomes two posts.
   * @param {"draft" | "send"} purpose
   * @param {{isDuplicate?: boolean, version?: number}} [decided]
   */
  const submit = async (purpose, { isDuplicate = false, version = draft.version } = {}) => {
    if (busy || isUploading) return;
    const body = {
      ...bodyOf(draft, draft.failed ? "text" : purpose),
      ...(isDuplicate ? { allowDuplicate: true } : {}),
    };
    const text = JSON.stringify(body);
    if (sending.current.body !== text) sending.current = { body: text, key: newKey() };
    setBusy(purpose);
    setRefused(null);
    try {
      const saved = draft.id
        ? await patch(`/posts/${draft.id}`, body, { headers: { "If-Match": `"${version}"` } })
        : await persist(body, sending.current.key);
      if (draft.failed && purpose === "send")
        await send(`/queue/submit/${draft.id}`, {}, { key: sending.current.key });
      forget(draft.id);
      toast(outcomeOf(purpose, draft, saved));
      go(purpose === "draft" ? `compose/${saved.id}` : `posts/${saved.id}`, undefined, {
        replace: purpose === "draft",
      });
    } catch (error) {
      setRefused(error);
    } finally {
      setBusy("");
    }
  };
  return { submit, busy, refused, setRefused };
}

/**
 * What was done, for a message.
 * @param {"draft" | "send"} purpose
 * @param {Draft} draft
 * @param {Post} saved
 */
function outcomeOf(purpose, draft, saved) {
  if (purpose === "draft") return t("Draft saved.");
  const done =
    saved.approval.state === "pending"
      ? t("Approval is requested.")
      : saved.scheduledAt && draft.when !== "now"
        ? t("Scheduled.")
        : saved.held
          ? ""
          : t("On its way.");
  return [done, saved.held && heldSentence(saved)].filter(Boolean).join(" ");
}

/**
 * Until the service has answered: the network may be away for long.
 * @param {ReturnType<typeof bodyOf>} body
 * @param {string} key
 * @returns {Promise<Post>}
 */
async function persist(body, key) {
  for (;;) {
    try {
      return await send("/posts", body, { key });
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "offline") throw error;
    }
  }
}
