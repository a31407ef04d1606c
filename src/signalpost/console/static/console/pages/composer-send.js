// Sending a post: what is written is saved as a draft first, and then becomes what it is to be.
import { newKey, post as send } from "../api.js";
import { t } from "../i18n.js";
import { bodyOf } from "../draft.js";
import { go } from "../router.js";
import { heldSentence } from "../words.js";
import { toast } from "../components/toasts.js";

/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("./composer-draft.js").Saving} Saving */
/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
/** @param {Saving} saver @param {"draft" | "send"} purpose @param {boolean} isDuplicate */
export async function deliver(saver, purpose, isDuplicate) {
  const { draft, isDraft } = saver;
  if (isDraft && purpose === "draft") {
    toast(t("Draft saved."));
    return;
  }
  const body = bodyOf(draft, draft.failed ? "text" : purpose);
  const saved = await saver.send(isDuplicate ? { ...body, allowDuplicate: true } : body);
  if (!saved) return;
  if (draft.failed && purpose === "send") await send(`/queue/submit/${saved.id}`, {}, { key: newKey() });
  saver.end();
  if (purpose === "send") saver.steps?.forget();
  toast(outcomeOf(purpose, draft, saved));
  go(purpose === "draft" ? `compose/${saved.id}` : `posts/${saved.id}`, undefined, {
    replace: purpose === "draft",
  });
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
