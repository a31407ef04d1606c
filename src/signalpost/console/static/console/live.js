// Live state: asks again while something is under way, less often when nothing changes, not at all in a hidden tab.
import { useEffect } from "./html.js";

/**
 * Call `reload` every so often while the page is visible, and at once when it becomes visible or the network returns.
 * @param {() => Promise<void>} reload @param {{seconds: number, active?: boolean}} options
 */
export function useLive(reload, { seconds, active = true }) {
  useEffect(() => {
    if (!active) return undefined;
    let stopped = false;
    /** @type {ReturnType<typeof setTimeout>} */
    let timer;
    const again = () => {
      clearTimeout(timer);
      if (!stopped) timer = setTimeout(tick, seconds * 1_000);
    };
    const tick = async () => {
      if (!document.hidden) await reload();
      again();
    };
    const now = () => void (document.hidden || tick());
    again();
    document.addEventListener("visibilitychange", now);
    addEventListener("online", now);
    return () => {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", now);
      removeEventListener("online", now);
    };
  }, [reload, seconds, active]);
}
