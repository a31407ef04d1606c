// Files on their way: with progress, paused and resumed, given up. What was sent already is not sent again.
import { html, useEffect, useRef, useState } from "./html.js";
import { t } from "./i18n.js";
import { Button } from "./components/button.js";
import { ProblemBox } from "./components/problem-box.js";
import { loadModule } from "./modules.js";

/** @typedef {import("signalpost/api").Schemas["Media"]} MediaData */

/**
 * @typedef {{
 *   key: string, file: File, sent: number, problem: unknown, isPaused: boolean, aborted: AbortController
 * }} Waiting
 */
/**
 * @typedef {{
 *   waiting: Waiting[], running: number, add: (files: File[]) => void, resume: (each: Waiting) => void,
 *   remove: (each: Waiting) => void
 * }} Uploads
 */

/** It is loaded when the page is there, and not with it. */
const sender = () => loadModule(() => import("./upload.js"));
let keys = 0;

/** @param {string} profileId @param {(media: MediaData, file: File) => void} onReady @returns {Uploads} */
export function useUploads(profileId, onReady) {
  const [waiting, setWaiting] = useState(/** @type {Waiting[]} */ ([]));
  const latest = useRef(onReady);
  latest.current = onReady;
  useEffect(() => {
    sender().catch(() => {}); // the first file asks again, and says what is wrong
  }, []);
  const update = (/** @type {string} */ key, /** @type {Partial<Waiting>} */ values) =>
    setWaiting((/** @type {Waiting[]} */ all) =>
      all.map((entry) => (entry.key === key ? { ...entry, ...values } : entry)),
    );
  const end = (/** @type {string} */ key) =>
    setWaiting((/** @type {Waiting[]} */ all) => all.filter((entry) => entry.key !== key));
  const run = async (/** @type {Waiting} */ { key, file, aborted }) => {
    try {
      const { upload } = await sender();
      const media = await upload(file, profileId, (sent) => update(key, { sent }), aborted.signal);
      latest.current(media, file);
      end(key);
    } catch (problem) {
      update(key, aborted.signal.aborted ? { isPaused: true } : { problem });
    }
  };
  const add = (/** @type {File[]} */ files) => {
    const added = files.map((file) => ({
      key: `upload${(keys += 1)}`,
      file,
      sent: 0,
      problem: null,
      isPaused: false,
      aborted: new AbortController(),
    }));
    setWaiting((/** @type {Waiting[]} */ all) => [...all, ...added]);
    added.forEach((entry) => void run(entry));
  };
  const resume = (/** @type {Waiting} */ entry) => {
    const again = { problem: null, isPaused: false, aborted: new AbortController() };
    update(entry.key, again);
    void run({ ...entry, ...again });
  };
  const remove = (/** @type {Waiting} */ entry) => {
    entry.aborted.abort();
    end(entry.key);
    void sender().then(({ giveUp }) => giveUp(entry.file));
  };
  return {
    waiting,
    running: waiting.filter((entry) => !entry.problem && !entry.isPaused).length,
    add,
    resume,
    remove,
  };
}

/** @param {{uploads: Uploads}} props */
export const UploadList = ({ uploads }) =>
  uploads.waiting.map((entry) => html`
    <div class="upload" key=${entry.key}>
      ${entry.problem && html`
        <div class="full">
          <${ProblemBox} problem=${entry.problem} />
        </div>
      `}
      <span class="grow">${entry.file.name}</span>
      <progress
        max="1"
        value=${entry.sent}
        aria-label=${t("Upload of {name}", { name: entry.file.name })}
      />
      ${entry.problem || entry.isPaused ? html`
        <${Button} kind="quiet" icon="retry" onClick=${() => uploads.resume(entry)}>
          ${t("Resume")}
        <//>
      ` : html`
        <${Button}
          kind="quiet"
          icon="pause"
          aria-label=${t("Pause {name}", { name: entry.file.name })}
          onClick=${() => entry.aborted.abort()}
        />
      `}
      <${Button}
        kind="quiet"
        icon="close"
        aria-label=${t("Remove {name}", { name: entry.file.name })}
        onClick=${() => uploads.remove(entry)}
      />
    </div>
  `);

/** Files that are dropped somewhere or pasted. @param {DataTransfer | null | undefined} transfer */
export const filesOf = (transfer) => [...(transfer?.files ?? [])];
