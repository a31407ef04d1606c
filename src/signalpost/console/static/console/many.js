// One thing after the other for many: patient where the service asks for a pause, with the rate and what is
// left, and an end that the person chooses.
import { Problem } from "./api.js";

/**
 * @typedef {{
 *   done: number, total: number, perSecond: number, secondsLeft: number, waiting: boolean
 * }} Progress
 */

const WAIT_MAX_SECONDS = 120;
const WAITS_MAX = 20;

/** @param {number} ms @param {AbortSignal} signal @returns {Promise<void>} */
const sleep = (ms, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/**
 * Call until the service has time for it.
 * @template T
 * @param {() => Promise<T>} act
 * @param {(waiting: boolean) => void} onWait
 * @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
export async function patient(act, onWait, signal) {
  for (let waits = 0; ; waits += 1) {
    try {
      return await act();
    } catch (error) {
      const isBusy = error instanceof Problem && error.status === 429 && waits < WAITS_MAX;
      if (!isBusy || signal.aborted) throw error;
      onWait(true);
      await sleep(Math.min(error.document.retryAfter || 5, WAIT_MAX_SECONDS) * 1_000, signal);
      onWait(false);
    }
  }
}

/**
 * Do something for each part, in order; what it throws ends it, except where `act` catches it.
 * @template T
 * @param {T[]} parts
 * @param {(part: T) => number} sizeOf
 * @param {(part: T) => Promise<void>} act
 * @param {(progress: Progress) => void} onProgress
 * @param {AbortSignal} signal
 */
export async function inTurn(parts, sizeOf, act, onProgress, signal) {
  const began = performance.now();
  const total = parts.reduce((sum, part) => sum + sizeOf(part), 0);
  let done = 0;
  const tell = (/** @type {boolean} */ waiting) => {
    const perSecond = done / Math.max((performance.now() - began) / 1_000, 0.001);
    onProgress({
      done,
      total,
      perSecond,
      secondsLeft: perSecond ? (total - done) / perSecond : 0,
      waiting,
    });
  };
  tell(false);
  for (const part of parts) {
    if (signal.aborted) return;
    await patient(() => act(part), tell, signal);
    done += sizeOf(part);
    tell(false);
  }
}
