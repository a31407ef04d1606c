// Files: sent in pieces by the tus protocol, so a lost connection costs one piece; what was begun goes on
// after a reload.
import { Problem, ROOT, get, refuse, who, workspaceId } from "./api.js";

const PIECE_BYTES = 4_000_000;
const TRIES_MAX = 8;
const POLL_MS = 500;

/** @param {string} text */
const encoded = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/**
 * @param {string} method
 * @param {string} path
 * @param {Record<string, string>} headers
 * @param {Blob} [body]
 * @param {AbortSignal} [signal]
 */
async function request(method, path, headers, body, signal) {
  const response = await fetch(`${ROOT}/api/v1${path}`, {
    method,
    body,
    signal,
    headers: { ...who(), "Tus-Resumable": "1.0.0", ...headers },
  });
  return response.ok ? response : refuse(response);
}

/** The upload of this very file that was begun before, if any. @param {File} file */
const memory = (file) => `upload:${workspaceId.peek()}:${file.name}:${file.size}:${file.lastModified}`;

/** @param {File} file @param {string} profileId @returns {Promise<{id: string, offset: number}>} */
async function begin(file, profileId) {
  const uploadId = localStorage.getItem(memory(file));
  if (uploadId) {
    const progress = await request("GET", `/media/uploads/${uploadId}`, {}).catch(() => null);
    if (progress) return { id: uploadId, offset: Number(progress.headers.get("upload-offset")) };
  }
  const metadata = [
    ["filename", file.name],
    ["filetype", file.type],
    ["profileId", profileId],
  ]
    .filter(([, value]) => value)
    .map(([name, value]) => `${name} ${encoded(value)}`)
    .join(",");
  const created = await request("POST", "/media/uploads", {
    "Upload-Length": String(file.size),
    "Upload-Metadata": metadata,
  });
  const id = /** @type {string} */ (created.headers.get("location")?.split("/").at(-1));
  localStorage.setItem(memory(file), id);
  return { id, offset: 0 };
}

/**
 * Upload a file and wait until it can be used.
 * @param {File} file @param {string} profileId @param {(sent: number) => void} onProgress from 0 to 1
 * @param {AbortSignal} aborted
 * @returns {Promise<any>} the media
 */
export async function upload(file, profileId, onProgress, aborted) {
  let { id, offset } = await begin(file, profileId);
  let tries = 0;
  while (offset < file.size) {
    aborted.throwIfAborted();
    onProgress(offset / file.size);
    try {
      const sent = await request(
        "PATCH",
        `/media/uploads/${id}`,
        { "Content-Type": "application/offset+octet-stream", "Upload-Offset": String(offset) },
        file.slice(offset, offset + PIECE_BYTES),
        aborted,
      );
      offset = Number(sent.headers.get("upload-offset"));
      tries = 0;
    } catch (error) {
      aborted.throwIfAborted();
      const final = error instanceof Problem && error.status !== 409 && error.status < 500;
      if (final || (tries += 1) > TRIES_MAX) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.min(300 * 2 ** tries, 5_000)));
      const progress = await request("GET", `/media/uploads/${id}`, {}).catch(() => null); // how far it came
      if (progress) offset = Number(progress.headers.get("upload-offset"));
    }
  }
  onProgress(1);
  localStorage.removeItem(memory(file));
  return ready(id, aborted);
}

/** Give up what was begun: its share of the storage is free again. @param {File} file */
export async function giveUp(file) {
  const uploadId = localStorage.getItem(memory(file));
  localStorage.removeItem(memory(file));
  if (uploadId) await request("DELETE", `/media/uploads/${uploadId}`, {}).catch(() => null); // it expires by itself
}

/** @param {string} id @param {AbortSignal} aborted */
async function ready(id, aborted) {
  for (;;) {
    aborted.throwIfAborted();
    const media = await get(`/media/${id}`, {}, { quiet: true });
    if (media.status === "ready") return media;
    if (media.status === "failed")
      throw new Problem({ code: "unusable_file", detail: media.error?.message }, 422);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
