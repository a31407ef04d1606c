// How much of what each network takes is written: a ring for each, and the number when it becomes scarce.
import { html, useEffect, useRef, useState } from "../html.js";
import { number, t, tn } from "../i18n.js";
import { networkName } from "../store.js";
import { NetworkLogo } from "../components/network-logo.js";

/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */
/** @typedef {import("signalpost/api").Schemas["PostValidation"]} PostValidation */
/**
 * @typedef {{
 *   key: string, platform: string, name: string, length: number, limit: number, left: number,
 *   state: "" | "warn" | "bad"
 * }} Count
 */

/** Characters from which on the number is shown: a tenth of the limit, or those of a short word or two. */
const SCARCE = 0.1;
const SCARCE_MIN = 20;

/** @param {number} left @param {number} limit */
const stateOf = (left, limit) =>
  left < 0 ? "bad" : limit && left <= Math.max(SCARCE_MIN, limit * SCARCE) ? "warn" : "";

/**
 * One for each network, or for each account of a network where they differ.
 * @param {PlatformAccount[]} accounts @param {PostValidation | null} checked @param {number | undefined} part
 */
function countsOf(accounts, checked, part) {
  const counts = /** @type {Map<string, Count>} */ (new Map());
  for (const { id, platform, username } of accounts) {
    const target = checked?.targets.find(({ accountId }) => accountId === id);
    const length = (part === undefined ? target?.textLength : target?.threadLengths[part]) ?? 0;
    const limit = target?.limit ?? 0;
    const left = limit - length;
    const same = `${platform} ${length}/${limit}`;
    if (!counts.has(same))
      counts.set(same, {
        key: id,
        platform,
        name: username,
        length,
        limit,
        left,
        state: stateOf(left, limit),
      });
  }
  const all = [...counts.values()];
  return all.map((count) => {
    const isAlone = all.filter(({ platform }) => platform === count.platform).length === 1;
    const network = networkName(count.platform);
    return { ...count, name: isAlone ? network : `${network} ${count.name}` };
  });
}

/** @typedef {{accounts: PlatformAccount[], checked: PostValidation | null, part?: number}} Counted */

/**
 * The text of a post, or a further part of a thread, as the networks of these accounts count it.
 * @param {Counted} props
 */
export const Counters = ({ accounts, checked, part }) => html`
  <span class="counters">
    ${countsOf(accounts, checked, part).map((count) => html`
      <${Counter} key=${count.key} count=${count} />
    `)}
  </span>
`;

/** @param {{count: Count}} props */
const Counter = ({ count: { platform, name, length, limit, left, state } }) => html`
  <span
    class=${`counter ${state}`}
    title=${
      limit > 0
        ? t("{n} of {limit}, as the network counts", { n: number(length), limit: number(limit) })
        : undefined
    }
  >
    <svg class="ring" viewBox="0 0 20 20" aria-hidden="true">
      <circle cx="10" cy="10" r="8" />
      <circle
        class="much"
        cx="10"
        cy="10"
        r="8"
        pathLength="100"
        transform="rotate(-90 10 10)"
        stroke-dasharray=${`${limit ? Math.min((length / limit) * 100, 100) : 0} 100`}
      />
    </svg>
    <${NetworkLogo} platform=${platform} /> ${name}
    ${state && html`<strong aria-hidden="true">${number(left)}</strong>`}
    ${limit > 0 && html`<span class="hidden"> ${leftIn(left)}</span>`}
  </span>
`;

/** @param {number} left */
const leftIn = (left) =>
  left < 0
    ? tn(-left, "{n} character too many", "{n} characters too many")
    : tn(left, "{n} character left", "{n} characters left");

/**
 * Read aloud when a text nears its limit, passes it or fits again, and not at each letter.
 * @param {Counted} props
 */
export function Crossing({ accounts, checked, part }) {
  const counts = countsOf(accounts, checked, part).filter(({ limit }) => limit > 0);
  const before = useRef(/** @type {Map<string, string>} */ (new Map()));
  const [sentences, setSentences] = useState("");
  useEffect(() => {
    const crossed = counts.filter(({ key, state }) => (before.current.get(key) ?? "") !== state);
    before.current = new Map(counts.map(({ key, state }) => [key, state]));
    if (crossed.length)
      setSentences(crossed.map(({ name, left }) => `${name}: ${leftIn(left)}.`).join(" "));
  }, [counts.map(({ key, state }) => key + state).join()]);
  return html`
    <span class="hidden" role="status">
      ${sentences}
    </span>
  `;
}
