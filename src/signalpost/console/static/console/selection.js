// Posts that are chosen in a list or in the calendar, to do something with all of them.
import { html, signal, useEffect, useRef } from "./html.js";
import { userId, workspaceId } from "./api.js";
import { t } from "./i18n.js";
import { titleOf } from "./post-parts.js";

/** @typedef {import("signalpost/api").Schemas["Post"]} Post */

/** The chosen posts by id, as the page shows them. */
export const chosen = signal(/** @type {Map<string, Post>} */ (new Map()));
/** Whether something is done with many posts, or was when the page was left. */
export const hasWork = signal(false);
let anchor = "";

/** Under which name this tab keeps what it does with many. */
export const workKey = () => `many:${userId.peek()}:${workspaceId.peek()}`;

/**
 * @param {Post} post
 * @param {boolean} isOn
 * @param {Post[]} [range] the posts in their order, to choose all from the one before to this one
 */
export function choose(post, isOn, range = []) {
  const places = [anchor, post.id].map((id) => range.findIndex((other) => other.id === id));
  const [from, to] = places.sort((a, b) => a - b);
  const next = new Map(chosen.peek());
  for (const member of from < 0 ? [post] : range.slice(from, to + 1))
    if (isOn) next.set(member.id, member);
    else next.delete(member.id);
  anchor = post.id;
  chosen.value = next;
}

/** @param {Post[]} posts */
export function chooseAll(posts) {
  chosen.value = new Map(posts.map((post) => [post.id, post]));
}

export function chooseNone() {
  chosen.value = new Map();
  anchor = "";
}

/**
 * The chosen posts of a page: as they are shown now, and none of what it showed before.
 * @param {Post[]} posts that are shown
 * @param {unknown[]} scope what they are filtered by
 */
export function useSelection(posts, scope) {
  useEffect(() => {
    hasWork.value ||= Boolean(sessionStorage.getItem(workKey()));
    return chooseNone;
  }, scope);
  useEffect(() => {
    const isNew = (/** @type {Post} */ { id, version }) =>
      (chosen.peek().get(id)?.version ?? version) !== version;
    const changed = posts.filter(isNew);
    if (changed.length)
      chosen.value = new Map([
        ...chosen.peek(),
        ...changed.map((post) => /** @type {const} */ ([post.id, post])),
      ]);
  }, [posts]);
}

/** The post whose row, box or entry has the focus. */
function focusedId() {
  const at = document.activeElement;
  const place = at?.closest("[data-post]") ?? at?.closest(".table tr")?.querySelector("[data-post]");
  return place instanceof HTMLElement ? place.dataset.post : undefined;
}

/** Its box or entry: a full day of the calendar leaves some out. @param {string} id */
const elementOf = (id) =>
  /** @type {HTMLElement | null} */ (document.querySelector(`main [data-post="${id}"]`));

/** Choose the first one, if none has the focus. @param {Post[]} posts */
function begin(posts) {
  const first = posts.find(({ id }) => elementOf(id));
  if (!first) return;
  choose(first, true);
  elementOf(first.id)?.focus();
}

/** @param {number} step @param {Post[]} posts */
function extend(step, posts) {
  const placeOf = (/** @type {string | undefined} */ id) => posts.findIndex((post) => post.id === id);
  const from = placeOf(focusedId());
  if (from < 0) return begin(posts);
  const others = step > 0 ? posts.slice(from + 1) : posts.slice(0, from).reverse();
  const next = others.find(({ id }) => elementOf(id));
  if (!next) return;
  if (!chosen.peek().has(anchor)) choose(posts[from], true);
  const start = anchor;
  const isBack = Math.abs(placeOf(next.id) - placeOf(start)) < Math.abs(from - placeOf(start));
  choose(isBack ? posts[from] : next, !isBack);
  anchor = start;
  elementOf(next.id)?.focus();
}

/**
 * The keys by which posts are chosen.
 * @param {{current: Post[]}} posts in the order in which they are shown
 */
export const selectionKeys = (posts) => [
  {
    keys: "x",
    name: t("Choose the post, or leave it out"),
    run: () => {
      const post = posts.current.find(({ id }) => id === focusedId());
      if (post) choose(post, !chosen.peek().has(post.id));
      else begin(posts.current);
    },
  },
  { keys: "Shift+ArrowDown", name: t("Choose the next one, too"), run: () => extend(1, posts.current) },
  { keys: "Shift+ArrowUp", name: t("Choose the one before, too"), run: () => extend(-1, posts.current) },
];

/** What is shown, for keys that were made before. @template T @param {T} value */
export function useLatest(value) {
  const latest = useRef(value);
  latest.current = value;
  return latest;
}

/** The box of a post in a row. @param {{post: Post, posts: {current: Post[]}}} props */
export const Pick = ({ post, posts }) => html`
  <label class="pick">
    <input
      type="checkbox"
      data-post=${post.id}
      checked=${chosen.value.has(post.id)}
      aria-label=${t("Choose {title}", { title: titleOf(post).slice(0, 80) })}
      onClick=${(/** @type {MouseEvent & {currentTarget: HTMLInputElement}} */ event) =>
        choose(post, event.currentTarget.checked, event.shiftKey ? posts.current : [])
      }
    />
  </label>
`;

/** The box above the rows. @param {{posts: Post[]}} props */
export function PickAll({ posts }) {
  const count = posts.filter(({ id }) => chosen.value.has(id)).length;
  return html`
    <label class="pick">
      <input
        type="checkbox"
        checked=${count > 0 && count === posts.length}
        indeterminate=${count > 0 && count < posts.length}
        aria-label=${t("Choose all that are shown")}
        onClick=${() => (count === posts.length ? chooseNone() : chooseAll(posts))}
      />
    </label>
  `;
}
