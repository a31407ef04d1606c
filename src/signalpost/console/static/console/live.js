// Live state: reloads when the stream says that something changed, and asks now and then where there is no
// stream.
import { effect, signal, useEffect, useRef } from "./html.js";
import { anotherUser, sessionEnded, stream } from "./api.js";
import { answered, removed } from "./under-way.js";

/** Whether the stream is open. */
export const streaming = signal(false);
const AGAIN_MS = 2_000;
const SETTLE_MS = 250;
const GAP_MS = 2_000;
const STREAMING_SECONDS = 10;
/** A new stream repeats what happened ten seconds before; half of that is for calls on their way. */
const COVERED_MS = 5_000;
/**
 * @typedef {(change: {type: string, subject: string | null} | null) => void} Listener what changed; null:
 * anything
 */
/** @type {Set<Listener>} */
const listeners = new Set();
/** @type {AbortController | null} */
let connection = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let again;
let lastId = "";
let wasOpen = false;
/** Whether the instance has streams: its operator can switch them off. */
let offered = true;
/** Since when what is shown may be older than what a stream tells; 0: there is a stream. */
let unheardSince = 0;

/** @param {{type: string, subject: string | null} | null} change */
const tell = (change) => listeners.forEach((listener) => listener(change));

/** Only a tab that is seen listens: a browser has six connections to a server for all of its tabs. */
async function connect() {
  clearTimeout(again);
  if (
    !offered ||
    connection ||
    document.hidden ||
    !listeners.size ||
    sessionEnded.peek() ||
    anotherUser.peek()
  )
    return;
  const mine = new AbortController();
  connection = mine;
  unheardSince ||= performance.now();
  await answered(); // what the page shows comes first
  try {
    offered = await stream("/events/stream", { lastId, signal: mine.signal, onEvent: heard });
  } catch {
    // polling goes on meanwhile; the calls of the page say what is wrong
  }
  if (connection !== mine) return;
  connection = null;
  streaming.value = false;
  if (offered) again = setTimeout(connect, AGAIN_MS);
}

/** @param {{id: string, event: string, data: string}} message */
function heard({ id, event, data }) {
  if (id) lastId = id;
  if (event === "ready") {
    // Nobody knows what was missed.
    if (!lastId && (wasOpen || performance.now() - unheardSince > COVERED_MS)) tell(null);
    streaming.value = wasOpen = true;
    unheardSince = 0;
  } else if (event === "change") tell(JSON.parse(data));
  else if (event === "reset") tell(null);
}

function disconnect() {
  clearTimeout(again);
  connection?.abort();
  connection = null;
  streaming.value = false;
}

document.addEventListener("visibilitychange", () => (document.hidden ? disconnect() : void connect()));
addEventListener("online", () => void connect());
effect(() => {
  if (sessionEnded.value || anotherUser.value) disconnect();
  else void connect();
});

/**
 * Call `reload` when something changes that `concerns` the page, without that when anything does while it is
 * `active`; when
 * it becomes visible or the network returns; and while it is active every so often. A page that says what
 * concerns it asks
 * less often while the stream is open.
 * @param {() => Promise<void>} reload
 * @param {{
 *   seconds: number, active?: boolean, concerns?: (change: {type: string, subject: string | null}) => boolean
 * }} options
 */
export function useLive(reload, { seconds, active = true, concerns }) {
  const latest = useRef({ reload, concerns });
  latest.current = { reload, concerns };
  useEffect(() => {
    let stopped = false;
    let running = false;
    let changed = false;
    let reloadedAt = -GAP_MS;
    /** @type {ReturnType<typeof setTimeout>} */
    let timer;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let settling;
    const later = () => {
      clearTimeout(timer);
      if (!stopped && active)
        timer = setTimeout(
          tick,
          (streaming.peek() && latest.current.concerns ? Math.max(seconds, STREAMING_SECONDS) : seconds) *
            1_000,
        );
    };
    const tick = async () => {
      if (running) {
        changed = true;
        return;
      }
      running = true;
      await removed(); // what the page shows may be what is being deleted
      if (!stopped && !document.hidden && !sessionEnded.peek() && !anotherUser.peek())
        await latest.current.reload();
      reloadedAt = performance.now();
      running = false;
      if (changed && !stopped) {
        changed = false;
        settle();
      }
      later();
    };
    const settle = () => {
      settling ??= setTimeout(
        () => {
          settling = undefined;
          void tick();
        },
        Math.max(SETTLE_MS, reloadedAt + GAP_MS - performance.now()),
      );
    };
    /** @type {Listener} */
    const listener = (change) => {
      const isMine = latest.current.concerns;
      if (isMine ? !change || isMine(change) : active) settle();
    };
    const now = () => void (document.hidden || !active || tick());
    const unsubscribe = streaming.subscribe(() => later());
    listeners.add(listener);
    void connect();
    document.addEventListener("visibilitychange", now);
    addEventListener("online", now);
    return () => {
      stopped = true;
      clearTimeout(timer);
      clearTimeout(settling);
      unsubscribe();
      listeners.delete(listener);
      setTimeout(() => listeners.size || disconnect()); // not for a listener that another takes the place of
      document.removeEventListener("visibilitychange", now);
      removeEventListener("online", now);
    };
  }, [seconds, active]);
}
