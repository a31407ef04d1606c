// The links of a link page: their words, where they lead, their order, their pictures and their time.
import { html, useState } from "../html.js";
import { Problem } from "../api.js";
import { newId } from "../hooks.js";
import { t } from "../i18n.js";
import { addPictures, pictures, usePictures } from "../pictures.js";
import { workspaceZone } from "../store.js";
import { wallTime } from "../time.js";
import { issueSentence } from "../words.js";
import { resolve } from "../zones.js";
import { Button } from "../components/button.js";
import { Field } from "../components/field.js";
import { lazyDialog } from "../components/lazy.js";

/** @typedef {import("signalpost/api").Schemas["Link"]} Link */
/** @typedef {import("signalpost/api").Schemas["Media"]} Media */
/**
 * `key`: of the row, while it is edited; `from` and `until`: wall times of the workspace.
 * @typedef {{
 *   key: string, id: string | null, title: string, url: string, mediaId: string | null, from: string,
 *   until: string
 * }} LinkValues
 */

const MediaPicker = lazyDialog(() => import("./media-picker.js"));
const LINKS_MAX = 50;

/** @returns {LinkValues} */
export const emptyLink = () => ({
  key: newId(),
  id: null,
  title: "",
  url: "",
  mediaId: null,
  from: "",
  until: "",
});

const wallOf = (/** @type {string | null} */ at) =>
  at ? wallTime(new Date(at), workspaceZone.peek()) : "";
const instantOf = (/** @type {string} */ wall) =>
  wall ? resolve(wall, workspaceZone.peek()).toISOString() : null;

/** @param {Link} link @returns {LinkValues} */
export const linkOf = ({ id, title, url, mediaId, shownFrom, shownUntil }) => ({
  key: id,
  id,
  title,
  url,
  mediaId,
  from: wallOf(shownFrom),
  until: wallOf(shownUntil),
});

/** What the service is sent of it. @param {LinkValues} link */
export const linkBody = ({ id, title, url, mediaId, from, until }) => ({
  id,
  title,
  url,
  mediaId,
  shownFrom: instantOf(from),
  shownUntil: instantOf(until),
});

/**
 * @param {{
 *   clientId: string, links: LinkValues[], problem: unknown, change: (links: LinkValues[]) => void
 * }} props
 */
export function LinkFields({ clientId, links, problem, change }) {
  const move = (/** @type {number} */ index, /** @type {number} */ by) => {
    const next = [...links];
    const [link] = next.splice(index, 1);
    next.splice(index + by, 0, link);
    change(next);
  };
  return html`
    <h3>${t("Links")}</h3>
    <ol class="plain link-items">
      ${links.map((link, index) => html`
        <${LinkItem}
          key=${link.key}
          clientId=${clientId}
          link=${link}
          position=${index}
          isLast=${index === links.length - 1}
          problem=${problem}
          change=${(/** @type {Partial<LinkValues>} */ values) =>
            change(links.map((other) => (other.key === link.key ? { ...other, ...values } : other)))
          }
          move=${(/** @type {number} */ by) => move(index, by)}
          remove=${() => change(links.filter(({ key }) => key !== link.key))}
        />
      `)}
    </ol>
    ${links.length < LINKS_MAX && html`
      <${Button} icon="plus" onClick=${() => change([...links, emptyLink()])}>
        ${t("Add a link")}
      <//>
    `}
  `;
}

/** What was refused of a member of a link. @param {unknown} problem @param {string} path */
const errorOf = (problem, path) => {
  const issue =
    problem instanceof Problem ? problem.issues.find((entry) => entry.path === path) : undefined;
  return issue && issueSentence(issue);
};

/**
 * @param {{
 *   clientId: string, link: LinkValues, position: number, isLast: boolean, problem: unknown,
 *   change: (values: Partial<LinkValues>) => void, move: (by: number) => void, remove: () => void
 * }} props
 */
function LinkItem({ clientId, link, position, isLast, problem, change, move, remove }) {
  const name = link.title || t("Link {n}", { n: position + 1 });
  const field = (/** @type {"title" | "url"} */ member) => ({
    value: link[member],
    error: errorOf(problem, `/links/${position}/${member}`),
    onInput: (/** @type {string} */ value) => change({ [member]: value }),
  });
  return html`
    <li class="link-item">
      <fieldset>
        <legend class="legend">${t("Link {n}", { n: position + 1 })}</legend>
        <${Field} label=${t("Text of the link")} maxlength="100" ...${field("title")} />
        <${Field}
          label=${t("Leads to")}
          type="url"
          placeholder="https://"
          maxlength="2048"
          ...${field("url")}
        />
        <${More}
          clientId=${clientId}
          link=${link}
          position=${position}
          problem=${problem}
          change=${change}
        />
        <div class="actions">
          <${Button}
            kind="quiet"
            aria-label=${t("Move {name} up", { name })}
            aria-disabled=${position ? undefined : "true"}
            onClick=${() => position && move(-1)}
          >
            ↑
          <//>
          <${Button}
            kind="quiet"
            aria-label=${t("Move {name} down", { name })}
            aria-disabled=${isLast ? "true" : undefined}
            onClick=${() => !isLast && move(1)}
          >
            ↓
          <//>
          <${Button} kind="quiet" icon="trash" aria-label=${t("Remove {name}", { name })} onClick=${remove}>
            ${t("Remove")}
          <//>
        </div>
      </fieldset>
    </li>
  `;
}

/**
 * Its picture, and when it is shown.
 * @param {{
 *   clientId: string, link: LinkValues, position: number, problem: unknown,
 *   change: (values: Partial<LinkValues>) => void
 * }} props
 */
function More({ clientId, link, position, problem, change }) {
  const [choosing, setChoosing] = useState(false);
  usePictures([link.mediaId], clientId);
  const picture = link.mediaId && pictures.value[link.mediaId];
  const isUsed = Boolean(link.mediaId || link.from || link.until);
  return html`
    <details open=${isUsed}>
      <summary>${t("Picture and time")}</summary>
      <div class="actions">
        ${picture && html`<img class="client-logo" src=${picture} alt="" />`}
        <${Button} icon="image" onClick=${() => setChoosing(true)}>
          ${link.mediaId ? t("Another picture") : t("Choose a picture")}
        <//>
        ${link.mediaId && html`
          <${Button} kind="quiet" onClick=${() => change({ mediaId: null })}>
            ${t("Without a picture")}
          <//>
        `}
      </div>
      ${errorOf(problem, `/links/${position}/mediaId`) && html`
        <p class="error">${errorOf(problem, `/links/${position}/mediaId`)}</p>
      `}
      <div class="row">
        <${Field}
          label=${t("Shown from")}
          type="datetime-local"
          value=${link.from}
          onInput=${(/** @type {string} */ from) => change({ from })}
        />
        <${Field}
          label=${t("Shown until")}
          type="datetime-local"
          value=${link.until}
          error=${errorOf(problem, `/links/${position}/shownUntil`)}
          onInput=${(/** @type {string} */ until) => change({ until })}
        />
      </div>
      ${choosing && html`
        <${MediaPicker}
          profileId=${clientId}
          chosen=${[]}
          max=${1}
          onClose=${() => setChoosing(false)}
          onChoose=${(/** @type {Media[]} */ [media]) => {
            addPictures([media]);
            change({ mediaId: media.id });
            setChoosing(false);
          }}
        />
      `}
    </details>
  `;
}
