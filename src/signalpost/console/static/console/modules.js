// Modules that are loaded when they are needed: by then the service may be away, or have been updated.
import { Problem } from "./api.js";

/** What to do then. It is loaded before it is needed. */
export const loadRecovery = () => import("./recovery.js");

/**
 * Load a module, when the service is there. Refused as `outdated` when another version runs by now, else as
 * `not_loaded`; then loading the page again helps, surely so if `retryable`.
 * @template T
 * @param {() => Promise<T>} load
 * @returns {Promise<T>}
 */
export const loadModule = (load) =>
  load().catch(async (error) => {
    const { recover } = await loadRecovery().catch(() => {
      throw new Problem({ code: "not_loaded" }, 0);
    });
    return recover(load, error);
  });
