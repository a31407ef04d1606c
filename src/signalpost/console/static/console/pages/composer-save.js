// Saving a draft on the service, and sending what it has become. Loaded as soon as the page is shown.
import { Problem, newKey, patch, post as send, remove } from "../api.js";
import { bodyOf, contentOf } from "../draft.js";
import { NOTHING, isOffline, isPassing, newest, textOf } from "./composer-kept.js";

/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("./composer-draft.js").Saving} Saving */
/** @typedef {import("signalpost/api").Schemas["Post"]} Post */

/** Which fields of a draft are in a member of the body, where the names differ. */
const FIELDS = /** @type {Record<string, string[]>} */ ({
  targets: ["accountIds", "variants", "own"],
  scheduledAt: ["when", "at"],
});

/** Save what there is now. @param {Saving} saver */
export async function saveNow(saver) {
  const { base, draft } = saver;
  if (base.creating || !draft.id || draft.profileId !== base.profileId) await create(saver);
  else await update(saver);
  if (saver.base.replaces) await removeReplaced(saver);
}

/**
 * The post, once: a repetition, also by a page that was loaded again, has the same key and body.
 * @param {Saving} saver
 */
async function create(saver) {
  if (saver.draft.id && !saver.base.creating) {
    saver.base = { ...NOTHING, replaces: saver.draft.id };
    saver.draft = { ...saver.draft, id: "", version: 0, hasTargets: false };
  }
  const draft = saver.base.creating?.draft ?? saver.draft;
  const first = saver.base.creating?.body ?? bodyOf(draft, "draft");
  await accept(saver, draft, first, (body) => {
    const key = body === saver.base.creating?.body ? saver.base.creating.key : newKey();
    saver.base = { ...saver.base, creating: { key, body, draft } };
    saver.keepAll();
    return send("/posts", body, { key }).catch((error) => {
      if (!isPassing(error)) saver.base = { ...saver.base, creating: null };
      throw error;
    });
  });
}

/** @param {Saving} saver */
async function update(saver) {
  const { draft } = saver;
  saver.base = { ...saver.base, sending: contentOf(draft) };
  saver.keepAll();
  try {
    await accept(saver, draft, bodyOf(draft, "draft"), (body) =>
      patch(`/posts/${draft.id}`, body, { headers: { "If-Match": `"${draft.version}"` } }),
    );
  } catch (error) {
    if (!(error instanceof Problem) || ![404, 409, 412].includes(error.status)) throw error;
    await saver.meet(await newest(draft.id));
    if (!saver.conflict && !saver.moved && saver.draft.version === draft.version) throw error;
  }
}

/**
 * Save it; without what is refused, which stays in the browser and is said at its field.
 * @param {Saving} saver @param {Draft} draft @param {Record<string, unknown>} body
 * @param {(body: Record<string, unknown>) => Promise<Post>} save
 */
async function accept(saver, draft, body, save) {
  /** @type {string[]} */
  let refused = [];
  /** @type {unknown} */
  let problem = null;
  const saved = await save(body).catch((error) => {
    refused = refusedIn(error, body);
    if (!refused.length) throw error;
    problem = error;
    return save(Object.fromEntries(Object.entries(body).filter(([name]) => !refused.includes(name))));
  });
  const sent = contentOf(draft);
  for (const name of refused) for (const field of FIELDS[name] ?? [name]) delete sent[field];
  saver.take(saved, sent);
  saver.savedText = textOf(draft);
  saver.savedAt = Date.now();
  saver.problem = problem;
  saver.keepAll();
}

/**
 * Send it, as a button says. Returns the post; null: another changed it, or it was sent already.
 * @param {Saving} saver @param {Record<string, unknown>} body
 * @returns {Promise<Post | null>}
 */
export async function sendNow(saver, body) {
  saver.news = null;
  saver.base = { ...saver.base, sending: contentOf(saver.draft) };
  saver.keepAll();
  for (;;) {
    const { id, version } = saver.draft;
    saver.isSending = true;
    try {
      return await patch(`/posts/${id}`, body, { headers: { "If-Match": `"${version}"` } });
    } catch (error) {
      if (isOffline(error)) continue;
      if (!(error instanceof Problem) || error.status !== 412) throw error;
      await saver.meet(await newest(id));
      if (saver.conflict || saver.moved || saver.news || saver.base.status === "ended") return null;
    } finally {
      saver.isSending = false;
    }
  }
}

/** @param {Saving} saver */
async function removeReplaced(saver) {
  const { replaces } = saver.base;
  await remove(`/posts/${replaces}`).catch((error) => {
    if (!(error instanceof Problem) || error.status !== 404) throw error;
  });
  saver.base = { ...saver.base, replaces: "" };
  saver.keepAll();
}

/** The members of a body that were refused. @param {unknown} error @param {Record<string, unknown>} body */
const refusedIn = (error, body) =>
  error instanceof Problem && error.status === 422
    ? [...new Set(error.issues.map(({ path }) => path.split("/")[1]))].filter(
        (name) => name in body && name !== "profileId",
      )
    : [];
