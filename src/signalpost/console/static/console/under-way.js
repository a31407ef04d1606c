// What is asked and deleted at this moment.

/** What is under way, with its path. @typedef {Map<Promise<unknown>, string>} UnderWay */
/** @type {UnderWay} */
export const questions = new Map();
/** @type {UnderWay} */
export const removals = new Map();

/**
 * Note what is under way until it has ended.
 * @template T
 * @param {UnderWay} underWay @param {Promise<T>} answer @param {string} path
 */
export function during(underWay, answer, path) {
  const end = () => underWay.delete(answer);
  underWay.set(answer, path);
  answer.then(end, end);
  return answer;
}

/** When whoever waited for what has just ended has gone on, such as to the next question. */
const goesOn = () => new Promise((resolve) => setTimeout(resolve));

/** When nothing is asked any more: what the page can do without comes after what it shows. */
export async function answered() {
  while (questions.size) {
    await Promise.allSettled(questions.keys());
    await goesOn();
  }
}

/**
 * When what is being deleted now is, and whoever deleted it has gone on, such as to another page; null:
 * nothing is.
 * @returns {Promise<unknown> | null}
 */
export const removed = () => (removals.size ? Promise.allSettled(removals.keys()).then(goesOn) : null);
