// Rows as requests: in parts, under keys that let a lost answer be heard again.
import { Problem, get, newKey, post } from "../api.js";
import { addresses, bodyOf, fieldOf } from "./import-rows.js";

/** @typedef {import("./import-model.js").Kept} Kept */
/** @typedef {import("./import-model.js").Row} Row */

export const PART = { rows: 50, addresses: 60, characters: 300_000 };

/** A fingerprint of a text: two of 53 bits (cyrb53). @param {string} text */
export function fingerprint(text) {
  return [0x9e37, 0x85eb].map((seed) => {
    let low = 0xdeadbeef ^ seed;
    let high = 0x41c6ce57 ^ seed;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      low = Math.imul(low ^ code, 2654435761);
      high = Math.imul(high ^ code, 1597334677);
    }
    low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
    high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
    return (4294967296 * (2097151 & high) + (low >>> 0)).toString(16).padStart(14, "0");
  });
}

/** @param {Row[]} rows @param {number} most @returns {Row[][]} what can be sent at once */
export function partsOf(rows, most) {
  const parts = /** @type {Row[][]} */ ([]);
  let size = { rows: 0, addresses: 0, characters: 0 };
  for (const row of rows) {
    const own = {
      rows: 1,
      addresses: addresses(row.cells.media ?? "").length,
      characters: (row.cells.text ?? "").length,
    };
    const isFull =
      size.rows + 1 > Math.min(most, PART.rows) ||
      size.addresses + own.addresses > PART.addresses ||
      size.characters + own.characters > PART.characters;
    if (!parts.length || isFull) {
      parts.push([]);
      size = { rows: 0, addresses: 0, characters: 0 };
    }
    /** @type {Row[]} */ (parts.at(-1)).push(row);
    size = {
      rows: size.rows + 1,
      addresses: size.addresses + own.addresses,
      characters: size.characters + own.characters,
    };
  }
  return parts;
}

/** @typedef {{code: string, path: string, message: string, params?: {existingPostId?: string}}} Issue */

/**
 * The post that an earlier import made of the row, if that is why it is refused: for its id or its content.
 * @param {string | undefined} code
 * @param {string | undefined} postId
 * @param {string} externalId
 */
async function madeBefore(code, postId, externalId) {
  if (code === "external_id_conflict") return postId;
  if (code !== "duplicate_content" || !postId) return undefined;
  const { data } = await get("/posts", { externalId, limit: 1 });
  return data[0]?.id;
}

/** @typedef {{code: string, detail: string, errors?: Issue[], existingPostId?: string}} Refusal */

/**
 * Note that a row is refused, or was created before.
 * @param {Row} row @param {Issue[]} issues @param {string} [postId]
 */
function refuse(row, issues, postId) {
  row.postId = postId ?? "";
  row.state = postId ? "there" : "refused";
  row.remarks = postId ? [] : issues.map(({ path, message }) => ({ field: fieldOf(path), message }));
}

/**
 * Have the service check rows, or make posts of them; each row says afterwards what became of it.
 * @param {Row[]} part
 * @param {Kept & {id: string}} state
 * @param {boolean} isDryRun
 */
export async function send(part, state, isDryRun) {
  const sent = part.map((row) => row.cells);
  // What was changed while it was checked is checked again.
  const isCurrent = (/** @type {number} */ index) => !isDryRun || part[index].cells === sent[index];
  const posts = part.map((row) => {
    const { body } = bodyOf(row.cells, state.meaning.choices);
    return {
      ...body,
      externalId: row.cells.externalId?.trim() || `csv-${state.id}-${row.line}${state.suffix}`,
    };
  });
  const body = { posts, draft: false };
  const key = isDryRun
    ? newKey()
    : `import-${fingerprint(JSON.stringify(posts)).join("")}-${state.attempt}`;
  try {
    const result = await post("/posts/bulk", body, { key, query: isDryRun ? { dryRun: true } : {} });
    for (const created of result.created) {
      if (!isCurrent(created.index)) continue;
      const row = part[created.index];
      row.state = isDryRun ? "ready" : "created";
      row.postId = created.id ?? "";
      row.notes = created.warnings.map(({ message }) => message);
    }
    for (const { index, problem } of result.errors) {
      const { code, detail, errors, existingPostId } = /** @type {Refusal} */ (
        /** @type {unknown} */ (problem)
      );
      const issues = errors?.length ? errors : [{ code, path: "", message: detail }];
      const before = await madeBefore(code, existingPostId, posts[index].externalId);
      if (isCurrent(index)) refuse(part[index], issues, before);
    }
  } catch (error) {
    const isOfRows = error instanceof Problem && error.status === 422 && error.issues.length > 0;
    if (!isOfRows || !error.issues.every(({ path }) => /^\/posts\/\d+/.test(path))) throw error;
    for (const [index, row] of part.entries()) {
      const all = /** @type {Issue[]} */ (error.issues);
      const issues = all.filter(({ path }) => path.split("/")[2] === String(index));
      const [first] = issues;
      const before = await madeBefore(first?.code, first?.params?.existingPostId, posts[index].externalId);
      if (isCurrent(index))
        refuse(row, issues.length ? issues : [{ code: "", path: "", message: error.message }], before);
    }
  }
}
