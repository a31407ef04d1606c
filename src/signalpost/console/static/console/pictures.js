// Small pictures of files of the library, by the ids of the files: each is asked for once.
import { signal, useEffect } from "./html.js";
import { get, local } from "./api.js";

/** @typedef {import("signalpost/api").Schemas["Media"]} Media */

/** How many files one request lists. */
const PART = 100;
/** Requests for older files under way at once. */
const LANES = 3;
/** Their addresses; "" for what has none. */
export const pictures = signal(/** @type {Record<string, string>} */ ({}));

/** What is asked for when all that is shown has said what it needs. @type {Set<string>} */
const needed = new Set();
/** @type {Set<string>} */
const requested = new Set();

/**
 * Have the pictures of these files, as far as they can be had.
 * @param {(string | null | undefined)[]} ids @param {string} [profileId] whose they are, if they are of one
 */
export function usePictures(ids, profileId) {
  const missing = [...new Set(ids)].filter((id) => id && !requested.has(id));
  useEffect(() => {
    if (missing.length && !needed.size) queueMicrotask(() => void ask(profileId));
    for (const id of missing) if (id) needed.add(id);
  }, [missing.join(",")]);
}

/** @param {Media[]} files */
export function addPictures(files) {
  const own = files.map(({ id, thumbnailUrl }) => [id, thumbnailUrl ? local(thumbnailUrl) : ""]);
  pictures.value = { ...pictures.peek(), ...Object.fromEntries(own) };
}

/** Its address was good for an hour only, or leads nowhere. @param {string} id */
export const dropPicture = (id) => {
  pictures.value = { ...pictures.peek(), [id]: "" };
};

/**
 * The newest files come by one request if there are several to ask for, older ones each by its own.
 * @param {string} [profileId]
 */
async function ask(profileId) {
  const ids = [...needed].filter((id) => !requested.has(id));
  needed.clear();
  for (const id of ids) requested.add(id);
  if (ids.length > 1) {
    const page = await get("/media", { profileId, limit: PART }, { quiet: true }).catch(() => null);
    addPictures(page?.data ?? []);
  }
  const older = ids.filter((id) => !(id in pictures.peek()));
  const lane = async () => {
    for (let id = older.shift(); id; id = older.shift()) {
      const file = await get(`/media/${id}`, {}, { quiet: true }).catch(() => null);
      if (file) addPictures([file]);
      else dropPicture(id);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
