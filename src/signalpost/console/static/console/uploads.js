// Files on their way: with progress, paused and resumed, given up. What was sent already is not sent again.
import { html, useRef, useState } from "./html.js";
import { t } from "./i18n.js";
import { Button, ProblemBox } from "./ui.js";
import { giveUp, upload } from "./upload.js";

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

let keys = 0;

/** @param {string} profileId @param {(media: any, file: File) => void} onReady @returns {Uploads} */
export function useUploads(profileId, onReady) {
  const [waiting, setWaiting] = useState(/** @type {Waiting[]} */ ([]));
  const latest = useRef(onReady);
  latest.current = onReady;
  const update = (/** @type {string} */ key, /** @type {Partial<Waiting>} */ values) =>
    setWaiting((/** @type {Waiting[]} */ all) =>
      all.map((each) => (each.key === key ? { ...each, ...values } : each)),
    );
  const end = (/** @type {string} */ key) =>
    setWaiting((/** @type {Waiting[]} */ all) => all.filter((each) => each.key !== key));
  const run = async (/** @type {Waiting} */ { key, file, aborted }) => {
    try {
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
    added.forEach((each) => void run(each));
  };
  const resume = (/** @type {Waiting} */ each) => {
    const again = { problem: null, isPaused: false, aborted: new AbortController() };
    update(each.key, again);
    void run({ ...each, ...again });
  };
  const remove = (/** @type {Waiting} */ each) => {
    each.aborted.abort();
    end(each.key);
    void giveUp(each.file);
  };
  return {
    waiting,
    running: waiting.filter((each) => !each.problem && !each.isPaused).length,
    add,
    resume,
    remove,
  };
}

/** @param {{uploads: Uploads}} props */
export const UploadList = ({ uploads }) =>
  uploads.waiting.map((each) => html`
    <div class="upload" key=${each.key}>
      ${each.problem && html`
        <div class="full">
          <${ProblemBox} problem=${each.problem} />
        </div>
      `}
      <span class="grow">${each.file.name}</span>
      <progress max="1" value=${each.sent} aria-label=${t("Upload of {name}", { name: each.file.name })} />
      ${each.problem || each.isPaused ? html`
        <${Button} kind="quiet" icon="retry" onClick=${() => uploads.resume(each)}>
          ${t("Resume")}
        <//>
      ` : html`
        <${Button}
          kind="quiet"
          icon="pause"
          aria-label=${t("Pause {name}", { name: each.file.name })}
          onClick=${() => each.aborted.abort()}
        />
      `}
      <${Button}
        kind="quiet"
        icon="close"
        aria-label=${t("Remove {name}", { name: each.file.name })}
        onClick=${() => uploads.remove(each)}
      />
    </div>
  `);

/** Files that are dropped somewhere or pasted. @param {DataTransfer | null | undefined} transfer */
export const filesOf = (transfer) => [...(transfer?.files ?? [])];
