// What every page asks first: it is under way while the browser loads the other modules, so this needs none.

/** This module stands in a folder of `/assets`. */
const api = new URL("../../api/v1", import.meta.url).pathname;
const workspace = localStorage.getItem("workspace");
const headers = { "X-Console": "1", ...(workspace ? { "X-Workspace-Id": workspace } : {}) };

/** Counts are of the client that is chosen; where one may be, only `client.js` knows which. */
const hasClient =
  new URLSearchParams(location.search).has("profileId") ||
  Object.keys(localStorage).some((key) => key.startsWith("client:"));
const PATHS = ["/auth/me", "/profiles?limit=100", "/platforms/accounts/all?limit=100"];

/** Path below /api/v1 -> its answer, until it is taken. @type {Map<string, Promise<Response>>} */
const answers = new Map();
for (const path of hasClient ? PATHS : [...PATHS, "/posts/stats"]) {
  const answer = fetch(api + path, { headers });
  answer.catch(() => undefined); // whoever takes it sees that
  answers.set(path, answer);
}

/**
 * The answer to what is asked since the page was opened; who comes second asks again.
 * @param {string} path below /api/v1, with its query
 */
export function takeBegun(path) {
  const answer = answers.get(path);
  answers.delete(path);
  return answer;
}

/** Have what nobody took be asked again: it gets old. */
export const forgetBegun = () => answers.clear();
