// The import that is under way, kept in the browser: after a reload it goes on where it was.
import { userId, workspaceId } from "../api.js";

const NAME = "signalpost-import";
const STORE = "parts";

/** @returns {Promise<IDBDatabase>} */
const opened = () =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Whose it is: nobody sees an import of someone else on this device. @param {string} part */
const keyOf = (part) => `${userId.peek()}/${workspaceId.peek()}/${part}`;

/**
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest} act
 * @returns {Promise<unknown>}
 */
async function run(mode, act) {
  const database = await opened();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = act(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

/** @param {string} part @param {unknown} value */
export const keep = (part, value) => run("readwrite", (store) => store.put(value, keyOf(part)));
/** @param {string} part */
export const load = (part) => run("readonly", (store) => store.get(keyOf(part)));
/** @param {string} part */
export const drop = (part) => run("readwrite", (store) => store.delete(keyOf(part)));
