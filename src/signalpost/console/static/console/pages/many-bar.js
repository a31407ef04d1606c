// The bar of chosen posts: what can be done with them, how far it is, and what became of each.
import { html, useState } from "../html.js";
import { loadTexts, number, t, tn } from "../i18n.js";
import { useAction } from "../hooks.js";
import { loadModule } from "../modules.js";
import { mayDecide } from "../rights.js";
import { to } from "../router.js";
import { chooseAll, chooseNone, chosen } from "../selection.js";
import { may, profiles } from "../store.js";
import { stylesheet } from "../stylesheet.js";
import { Button } from "../components/button.js";
import { lazyDialog } from "../components/lazy.js";
import { ACTIONS, momentOf } from "./many-actions.js";
import { dismiss, goOn, run, start, stop, undo } from "./many-run.js";

await Promise.all([loadTexts("many"), stylesheet("pages/many.css")]);

const Ask = lazyDialog(() => import("./many-dialogs.js"));
const ApprovalLink = lazyDialog(() => import("./approvals-link.js"));

/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
/** @typedef {import("./many-actions.js").Kind} Kind */
/** @typedef {import("./many-run.js").Run} Run */
/**
 * @typedef {{
 *   visible: Post[], loadAll?: () => Promise<Post[] & {cut?: boolean}>, reload: () => Promise<void>
 * }} Props `loadAll`: all that the filter finds, if more than what is shown
 */

/** @param {Props} props */
export default function ManyBar(props) {
  const [asking, setAsking] = useState(/** @type {Kind | "link" | ""} */ (""));
  const posts = [...chosen.value.values()].sort((a, b) => momentOf(a).localeCompare(momentOf(b)));
  const act = async (/** @type {Kind} */ kind, /** @type {Record<string, string>} */ values = {}) => {
    setAsking("");
    chooseNone();
    await start(kind, posts, values);
    await props.reload();
  };
  if (run.value) return html`<${Work} run=${run.value} reload=${props.reload} />`;
  if (!posts.length) return null;
  return html`
    <${Selection} ...${props} posts=${posts} ask=${setAsking} act=${act} />
    ${asking === "link" && html`
      <${ApprovalLink}
        posts=${posts.filter(canAsk)}
        onClose=${async (/** @type {boolean} */ created) => {
          setAsking("");
          if (!created) return;
          chooseNone();
          await props.reload();
        }}
      />
    `}
    ${asking && asking !== "link" && html`
      <${Ask} kind=${asking} posts=${posts} act=${act} onClose=${() => setAsking("")} />
    `}
  `;
}

/** Whether someone can be asked to decide on it. @param {Post} post */
const canAsk = (post) => post.approval.state === "pending" || post.status === "draft";

/**
 * @param {Props & {
 *   posts: Post[], ask: (kind: Kind | "link") => void, act: (kind: Kind) => Promise<void>
 * }} props
 */
function Selection({ posts, visible, loadAll, ask, act }) {
  const [isCut, setCut] = useState(false);
  const [busy, chooseFound] = useAction(async () => {
    const matching = await loadAll?.();
    if (matching) chooseAll(matching);
    setCut(Boolean(matching?.cut));
  });
  const isAll = visible.every(({ id }) => chosen.value.has(id));
  const [savingCsv, saveCsv] = useAction(async () =>
    (await loadModule(() => import("./many-csv.js"))).savePosts(posts),
  );
  const button = (
    /** @type {Kind | "link"} */ kind,
    /** @type {string} */ icon,
    /** @type {string} */ name,
  ) => html`
    <${Button} icon=${icon} onClick=${() => ask(kind)}>
      ${name}
    <//>
  `;
  return html`
    <div class="selection many" role="region" aria-label=${t("Chosen posts")}>
      <p class="many-count">
        <strong role="status">${tn(posts.length, "{n} post chosen", "{n} posts chosen")}</strong>
        ${!isAll && html`
          <${Button} kind="quiet" onClick=${() => chooseAll(visible)}>
            ${tn(visible.length, "Choose the {n} that is shown", "Choose all {n} that are shown")}
          <//>
        `}
        ${loadAll && isAll && posts.length <= visible.length && html`
          <${Button} kind="quiet" busy=${busy} onClick=${chooseFound}>
            ${t("Choose all that match the filter")}
          <//>
        `}
        ${isCut && html`
          <span class="soft">
            ${t("There are more: that is as many as can be chosen at once.")}
          </span>
        `}
        <${Button} kind="quiet" icon="close" onClick=${chooseNone}>
          ${t("Choose none")}
        <//>
      </p>
      <div class="actions">
        ${may("posts:write") && html`
          ${button("move", "clock", t("Move…"))}
          ${button("tag", "plus", t("Tag…"))}
          <${Button} icon="question" onClick=${() => act("ask")}>
            ${t("Ask for approval")}
          <//>
        `}
        ${mayDecide() && html`
          ${posts.some(canAsk) && button("link", "link", t("Ask for approval by link"))}
          ${button("approve", "check", t("Approve…"))}
        `}
        ${may("posts:write") && html`${(profiles.value?.length ?? 0) > 1 && button("copy", "copy", t("Duplicate to a client…"))}`}
        <${Button} icon="api" busy=${savingCsv} onClick=${saveCsv}>
          ${t("Save as CSV")}
        <//>
        ${may("posts:write") && html`
          <${Button} kind="danger" icon="trash" onClick=${() => ask("trash")}>
            ${t("Delete…")}
          <//>
        `}
      </div>
    </div>
  `;
}

/** What is done, or was. @param {{run: Run, reload: () => Promise<void>}} props */
function Work({ run: work, reload }) {
  const { items, kind, isUndo, isRunning, isWaiting, problem } = work;
  const action = ACTIONS[kind]();
  const count = (/** @type {string} */ state) => items.filter((item) => item.state === state).length;
  const [done, refused, left] = [count("done"), count("refused"), count("waiting")];
  const then = (/** @type {() => Promise<void>} */ act) => () => void act().then(reload);
  const doing = isUndo ? t("Taking it back") : action.doing;
  const result = isUndo
    ? tn(done, "{n} post is as it was.", "{n} posts are as they were.")
    : action.done(done);
  return html`
    <div class="selection many" role="region" aria-label=${t("Chosen posts")}>
      ${isRunning ? html`
        <p class="many-count">
          <strong>${doing}</strong>
          <progress max=${items.length} value=${done + refused} aria-label=${doing} />
          <span>
            ${t("{done} of {total}", { done: number(done + refused), total: number(items.length) })}
            ${isWaiting && ` · ${t("the service asks to wait a moment")}`}
          </span>
          <${Button} icon="pause" onClick=${stop}>
            ${t("Stop")}
          <//>
        </p>
      ` : html`
        <p class="many-count">
          <strong role="status">
            ${[
              result,
              refused > 0 && tn(refused, "{n} was refused.", "{n} were refused."),
              left > 0 && tn(left, "{n} is not done yet.", "{n} are not done yet."),
            ]
              .filter(Boolean)
              .join(" ")}
          </strong>
          ${left > 0 && html`
            <${Button} kind="primary" icon="next" onClick=${then(goOn)}>
              ${t("Go on")}
            <//>
          `}
          ${done > 0 && !isUndo && action.undo && html`
            <${Button} icon="back" onClick=${then(undo)}>
              ${t("Undo")}
            <//>
          `}
          <${Button} onClick=${dismiss}>${t("Done")}<//>
        </p>
        ${problem && html`<p>${problem.join(" ")}</p>`}
      `}
      ${refused > 0 && html`
        <ul class="list many-list" aria-label=${t("What was refused")} tabindex="0">
          ${items
            .filter(({ state }) => state === "refused")
            .map((item) => html`
              <li key=${item.id}>
                <a href=${to(`posts/${item.id}`)} class="clip" dir="auto">
                  ${item.title}
                </a>
                <span class="grow">${item.refusal.filter(Boolean).join(" ")}</span>
              </li>
            `)}
        </ul>
      `}
      ${!isRunning && left > 0 && html`<${Details} work=${work} />`}
    </div>
  `;
}

/** After an interruption: which are done, and which are not. @param {{work: Run}} props */
const Details = ({ work }) => html`
  <details>
    <summary>${t("Which are done, and which are not")}</summary>
    <ul class="list many-list" aria-label=${t("Which are done, and which are not")} tabindex="0">
      ${work.items
        .filter(({ state }) => state !== "refused")
        .map((item) => html`
          <li key=${item.id}>
            <span class="soft">${item.state === "done" ? t("done") : t("not yet")}</span>
            <a href=${to(`posts/${item.id}`)} class="clip grow" dir="auto">
              ${item.title}
            </a>
          </li>
        `)}
    </ul>
  </details>
`;
