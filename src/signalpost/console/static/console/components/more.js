// The next page of a list, below its rows.
import { get } from "../api.js";
import { useAction, useLoad } from "../hooks.js";
import { html, useEffect, useRef } from "../html.js";
import { t } from "../i18n.js";
import { Button } from "./button.js";

/** @typedef {{data: any[], hasMore: boolean, nextCursor: string | null}} ListPage */

/** @param {any} page @param {any} next */
const joined = (page, next) => ({ ...page, ...next, data: [...page.data, ...next.data] });

/**
 * Load a list as `useLoad` does. `More` makes it longer, and what is loaded again after that is as long as it
 * was: a change somewhere in the list takes nothing away that is read further down.
 * @param {string} path @param {Record<string, any>} query
 * @param {() => Promise<unknown>} [besides] what is shown together with it
 */
export function usePages(path, query, besides) {
  const request = JSON.stringify([path, query]);
  const rows = useRef({ request, count: 0 });
  const loaded = useLoad(async () => {
    if (rows.current.request !== request) rows.current = { request, count: 0 };
    /** @type {any[]} */
    let [page] = await Promise.all([get(path, query), besides?.()]);
    while (page.hasMore && page.data.length < rows.current.count)
      page = joined(page, await get(path, { ...query, cursor: page.nextCursor }));
    return page;
  }, [request]);
  const setData = (/** @type {any} */ page) => {
    rows.current = { request, count: page.data.length };
    loaded.setData(page);
  };
  return { ...loaded, setData };
}

/**
 * A button that adds the next page; `summary` says how many there are, if the page says so.
 * @param {{
 *   path: string, query: Record<string, any>, page: any, setPage: (page: any) => void, summary?: string
 * }} props `page`: a `ListPage`, with or without more in it
 */
export function More({ path, query, page, setPage, summary }) {
  const request = JSON.stringify([path, query]);
  const latest = useRef(/** @type {{request: string, page: ListPage} | null} */ (null));
  latest.current = { request, page };
  useEffect(
    () => () => {
      latest.current = null;
    },
    [],
  );
  const [busy, load] = useAction(async () => {
    /** @type {string | null} */
    let cursor;
    /** @type {any} */
    let next;
    /** @type {{request: string, page: ListPage} | null} */
    let now = { request, page };
    do {
      cursor = now.page.nextCursor;
      next = await get(path, { ...query, cursor });
      now = latest.current;
      // Other filters were chosen meanwhile, or it has ended: these rows follow nothing.
      if (now?.request !== request || !now.page.hasMore) return;
      // It was loaded again meanwhile, and what follows it is something else.
    } while (now.page.nextCursor !== cursor);
    setPage(joined(now.page, next));
  });
  return (
    (page.hasMore || summary) && html`
      <p class="actions">
        ${page.hasMore && html`
          <${Button} busy=${busy} onClick=${load}>
            ${t("Show more")}
          <//>
        `}
        ${summary && html`
          <span class="soft" role="status">
            ${summary}
          </span>
        `}
      </p>
    `
  );
}
