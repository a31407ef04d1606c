// What components do besides showing: load, act.
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "./html.js";
import { removed } from "./under-way.js";
import { toastProblem } from "./components/toasts.js";

let ids = 0;
/** An id that no other element of the page has, for `for` and `aria-describedby`. */
export const newId = () => `f${(ids += 1)}`;

/**
 * Load something, again when `inputs` change or `reload()` is called. What was shown stays until the new is
 * there, and `reload()` ends when it is: also when another one began meanwhile. Where nothing is shown yet,
 * the first answer is shown even then. `setData` takes the answer of a change, which no load that began
 * before it replaces. `data` is undefined until the first load ends: it is read inside `Loaded`, or with
 * `?.`. Nothing is loaded while something is being deleted, nor when the component is not shown any more.
 * @template T
 * @param {() => Promise<T>} load
 * @param {unknown[]} inputs
 * @returns {{
 *   data: T, problem: unknown, loading: boolean, reload: () => Promise<void>,
 *   setData: (data: T) => void
 * }}
 */
export function useLoad(load, inputs) {
  const [state, setState] = useState(
    /** @type {{data: T, problem: unknown, loading: boolean}} */ ({
      data: /** @type {any} */ (undefined),
      problem: null,
      loading: true,
    }),
  );
  const first = useRef(0);
  const latest = useRef(0);
  const ended = useRef(0);
  const newest = useRef(/** @type {Promise<void>} */ (Promise.resolve()));
  const isShown = useRef(true);
  const reload = useCallback(() => {
    if (!isShown.current) return Promise.resolve();
    const mine = (latest.current += 1);
    const run = async () => {
      setState((old) => ({ ...old, loading: true }));
      try {
        const deletion = removed();
        if (deletion) await deletion;
        if (mine === latest.current) {
          const data = await load();
          if (mine === latest.current) setState({ data, problem: null, loading: false });
          else if (mine === first.current) setState((old) => ({ ...old, data: old.data ?? data }));
        }
      } catch (problem) {
        if (mine === latest.current) setState((old) => ({ ...old, problem, loading: false }));
      }
      ended.current = Math.max(ended.current, mine);
      // Overtaken: who waits goes on when the newer one is shown.
      if (newest.current !== done) await newest.current;
    };
    const done = run();
    newest.current = done;
    return done;
  }, inputs);
  const setData = (/** @type {T} */ data) => {
    const isLoading = ended.current < latest.current;
    ended.current = latest.current += 1;
    setState({ data, problem: null, loading: false });
    // What that load has read may be older than the data.
    if (isLoading) void reload();
  };
  useLayoutEffect(() => {
    first.current = latest.current + 1;
    // the request is under way before the browser paints what is there without it
    void reload();
    return () => {
      first.current = 0;
      latest.current += 1;
    };
  }, inputs);
  useLayoutEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  return { ...state, reload, setData };
}

/** Whether a media query matches, at any time. @param {string} query */
export function useMedia(query) {
  const [list] = useState(() => matchMedia(query));
  const [matches, setMatches] = useState(list.matches);
  useEffect(() => {
    const changed = () => setMatches(list.matches);
    list.addEventListener("change", changed);
    return () => list.removeEventListener("change", changed);
  }, []);
  return matches;
}

/**
 * Call an operation from a button or a form, once at a time: busy while it runs, refusals shown. Who presses
 * Enter again meanwhile does nothing more.
 * @template {unknown[]} Values
 * @param {(...values: Values) => Promise<unknown>} act
 * @returns {[boolean, (...values: Values) => Promise<void>]}
 */
export function useAction(act) {
  const [busy, setBusy] = useState(false);
  const running = useRef(false);
  return [
    busy,
    async (...values) => {
      if (running.current) return;
      setBusy((running.current = true));
      await act(...values).catch(toastProblem);
      setBusy((running.current = false));
    },
  ];
}
