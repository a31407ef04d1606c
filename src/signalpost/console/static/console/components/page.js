// A page and its cards.
import { html, useEffect, useState } from "../html.js";
import { newId } from "../hooks.js";

/** @typedef {import("../html.js").Children} Children */

/**
 * A page with its heading and main actions.
 * @param {{
 *   title: string, subtitle?: Children, actions?: Children, children?: Children, wide?: boolean
 * }} props
 */
export function Page({ title, subtitle, actions, children, wide }) {
  useEffect(() => {
    document.title = `${title} · Signalpost`;
  }, [title]);
  return html`
    <div class=${wide ? "page wide" : "page"}>
      <header class="page-head">
        <div>
          <h1>${title}</h1>
          ${subtitle && html`<p class="soft">${subtitle}</p>`}
        </div>
        ${actions && html`<div class="actions">${actions}</div>`}
      </header>
      ${children}
    </div>
  `;
}

/**
 * @param {{
 *   title?: string, actions?: Children, children?: Children, class?: string, id?: string, lang?: string
 * }} props `lang`: of the title, where it is not ours
 */
export function Card({ title, actions, children, class: name = "", id, lang }) {
  const [heading] = useState(newId);
  return html`
    <section class=${`card ${name}`} id=${id} aria-labelledby=${title ? heading : undefined}>
      ${title && html`
        <header class="card-head">
          <h2 id=${heading} lang=${lang}>
            ${title}
          </h2>
          ${actions && html`<div class="actions">${actions}</div>`}
        </header>
      `}
      ${children}
    </section>
  `;
}
