// The pictures of the posts that are shown: most of them by one request, each once.
import { signal, useEffect } from "../html.js";
import { get, local } from "../api.js";

/** @typedef {import("signalpost/api").Schemas["Media"]} Media */
/** @typedef {import("signalpost/api").Schemas["Post"]} Post */

/** How many files one request lists. */
const PART = 100;
/** Requests for older files under way at once. */
const LANES = 3;
/** The addresses of small pictures by the ids of their files; "" for what has none. */
export const pictures = signal(/** @type {Record<string, string>} */ ({}));

/** The file that stands for a post. @param {Post} post */
export const pictureOf = (post) =>
  post.media[0]?.mediaId ?? post.targets.find(({ media }) => media?.length)?.media?.[0].mediaId;

/** @param {Post[]} posts @param {string} profileId */
export function usePictures(posts, profileId) {
  const ids = [...new Set(posts.map(pictureOf))].filter((id) => id !== undefined);
  const key = ids.filter((id) => !(id in pictures.peek())).join(",");
  useEffect(() => {
    if (key) void ask(key.split(","), profileId);
  }, [key]);
}

/** @param {Media[]} files */
function add(files) {
  const own = files.map(({ id, thumbnailUrl }) => [id, thumbnailUrl ? local(thumbnailUrl) : ""]);
  pictures.value = { ...pictures.peek(), ...Object.fromEntries(own) };
}

/**
 * The newest files come by one request, older ones each by its own. Entries do without a picture that
 * cannot be had.
 * @param {string[]} ids @param {string} profileId
 */
async function ask(ids, profileId) {
  const page = await get("/media", { profileId, limit: PART }, { quiet: true }).catch(() => null);
  add(page?.data ?? []);
  const older = ids.filter((id) => !(id in pictures.peek()));
  const lane = async () => {
    for (let id = older.shift(); id; id = older.shift()) {
      const file = await get(`/media/${id}`, {}, { quiet: true }).catch(() => null);
      if (file) add([file]);
      else pictures.value = { ...pictures.peek(), [id]: "" };
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
