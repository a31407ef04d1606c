// Addresses of the console: /console/PAGE/ID/PART?filters. The browser's history works, every view has an
// address.
import { signal } from "./html.js";
import { ROOT } from "./api.js";

const HOME = `${ROOT}/console`;

let renames = 0;

/** `key`: of the page that is shown; it stays when an address is renamed, and no other visit has it. */
function current() {
  const [page = "", id = "", part = ""] = location.pathname
    .slice(HOME.length + 1)
    .split("/")
    .map(decodeURIComponent);
  const query = Object.fromEntries(new URLSearchParams(location.search));
  return { page, id, part, query, key: `${page}/${id}/${renames}` };
}

export const route = signal(current());

/**
 * The address of a page.
 * @param {string} path such as `posts/pst_1`
 * @param {Record<string, unknown>} [query]
 */
export function to(path, query) {
  const search = new URLSearchParams(
    Object.entries(query ?? {}).flatMap(([name, value]) => (value ? [[name, String(value)]] : [])),
  ).toString();
  return `${HOME}${path ? `/${path}` : ""}${search ? `?${search}` : ""}`;
}

/** @param {string} path @param {Record<string, unknown>} [query] @param {{replace?: boolean}} [options] */
export function go(path, query, { replace = false } = {}) {
  history[replace ? "replaceState" : "pushState"](null, "", to(path, query));
  moved(!replace);
}

/** Show a page by its whole address, as a notification names it. @param {string} address */
export function goTo(address) {
  const { origin, pathname, href } = new URL(address, location.origin);
  if (origin !== location.origin || !(pathname === HOME || pathname.startsWith(`${HOME}/`))) return;
  history.pushState(null, "", href);
  moved(true);
}

/**
 * Give what is shown another address: it stays as it is, and is found there when the page is loaded again.
 * @param {string} path @param {unknown} state of the entry of the history
 */
export function rename(path, state) {
  history.replaceState(state, "", to(path));
  renames += 1;
}

/** Change filters of this page. @param {Record<string, unknown>} change */
export function filter(change) {
  const { page, id, part, query } = route.peek();
  go([page, id, part].filter(Boolean).join("/"), { ...query, ...change }, { replace: true });
}

/** @param {boolean} isNew */
function moved(isNew) {
  route.value = current();
  if (!isNew) return;
  scrollTo(0, 0);
  requestAnimationFrame(() => document.querySelector("main")?.focus({ preventScroll: true }));
}

addEventListener("popstate", () => moved(false));
addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (
    !link ||
    event.defaultPrevented ||
    event.button ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    link.target ||
    link.hasAttribute("download")
  )
    return;
  if (link.origin !== location.origin || !(link.pathname === HOME || link.pathname.startsWith(`${HOME}/`)))
    return;
  event.preventDefault();
  history.pushState(null, "", link.href);
  moved(true);
});
