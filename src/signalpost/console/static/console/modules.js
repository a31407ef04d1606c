// Modules that are loaded when they are needed: by then the service may be away, or have been updated.
import { recover } from "./recovery.js";

/**
 * Load a module, when the service is there. Refused as `outdated` when another version runs by now, else as
 * `not_loaded`; then loading the page again helps, surely so if `retryable`.
 * @template T
 * @param {() => Promise<T>} load
 * @returns {Promise<T>}
 */
export const loadModule = (load) => load().catch((error) => recover(load, error));
