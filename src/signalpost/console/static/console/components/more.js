// The next page of a list, below its rows.
import { get } from "../api.js";
import { useAction } from "../hooks.js";
import { html, useEffect, useRef } from "../html.js";
import { t } from "../i18n.js";
import { Button } from "./button.js";

/** @typedef {{data: any[], hasMore: boolean, nextCursor: string | null}} ListPage */

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
    const cursor = page.nextCursor;
    /** @type {any} */
    const next = await get(path, { ...query, cursor });
    const now = latest.current;
    // Other filters were chosen meanwhile, or the list is another one: these rows do not follow it.
    if (now?.request !== request || now.page.nextCursor !== cursor) return;
    setPage({ ...now.page, ...next, data: [...now.page.data, ...next.data] });
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
