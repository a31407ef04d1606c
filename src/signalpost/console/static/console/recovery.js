// When a module could not be loaded: why, and what helps.
import { Problem, online, pause } from "./api.js";
import { fileAddress } from "./stylesheet.js";

/**
 * Load a module that could not be loaded, once the service is there. Browsers remember that it could not, so
 * that after the service was away only loading the page again helps.
 * @template T
 * @param {() => Promise<T>} load
 * @param {unknown} error of the first attempt
 * @returns {Promise<T>}
 */
export async function recover(load, error) {
  if (error instanceof Problem) throw error; // of a module within it
  const wasAway = await serviceIsThere();
  return load().catch(() => {
    if (!wasAway) reportError(error);
    throw new Problem({ code: "not_loaded", retryable: wasAway }, 0);
  });
}

/** Wait until the service answers; meanwhile the frame says so. Returns whether it was away. */
async function serviceIsThere() {
  for (let attempt = 0; ; attempt += 1) {
    const status = await statusNow();
    if (status === 404) throw new Problem({ code: "outdated" }, 404);
    online.value = status > 0 && status < 500;
    if (online.value) return attempt > 0;
    await pause(attempt);
  }
}

/** Each version has its files at addresses of its own: another one does not have this file. 0: no answer. */
async function statusNow() {
  try {
    return (await fetch(fileAddress("app.js"), { method: "HEAD", cache: "no-store" })).status;
  } catch {
    return 0;
  }
}
