// The next page of a list, below its rows.
import { get } from "../api.js";
import { useAction } from "../hooks.js";
import { html, useEffect, useRef } from "../html.js";
import { t } from "../i18n.js";
import { Button } from "./button.js";

/** @typedef {{data: any[], hasMore: boolean, nextCursor: string | null}} ListPage */

/**
 * A button that adds the next page; `shown` says how many there are, if the page says so.
 * @param {{
 *   path: string, query: Record<string, any>, page: any, setPage: (page: any) => void, shown?: string
 * }} props `page`: a `ListPage`, with or without more in it
 */
export function More({ path, query, page, setPage, shown }) {
  const asked = JSON.stringify([path, query]);
  const latest = useRef(/** @type {{asked: string, page: ListPage} | null} */ (null));
  latest.current = { asked, page };
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
    if (now?.asked !== asked || now.page.nextCursor !== cursor) return;
    setPage({ ...now.page, ...next, data: [...now.page.data, ...next.data] });
  });
  return (
    (page.hasMore || shown) && html`
      <p class="actions">
        ${page.hasMore && html`
          <${Button} busy=${busy} onClick=${load}>
            ${t("Show more")}
          <//>
        `}
        ${shown && html`
          <span class="soft" role="status">
            ${shown}
          </span>
        `}
      </p>
    `
  );
}
