// One post: the state of every target and what to do about it, what happened when, and what was sent.
import { html, useEffect } from "../html.js";
import { Problem, all, get } from "../api.js";
import { Icon } from "../icons.js";
import { loadTexts, t } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { useLive } from "../live.js";
import { PostState, titleOf } from "../post-parts.js";
import { Remedy } from "../remedy.js";
import { to } from "../router.js";
import { loadBasics, loadPlatforms } from "../store.js";
import { Time, zoneLabel } from "../time.js";
import { heldSentence } from "../words.js";
import { LinkButton } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { lazy } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { Card, Page } from "../components/page.js";
import { toastProblem } from "../components/toasts.js";
import { Actions } from "./post-actions.js";
import { Content, Timeline } from "./post-content.js";
import { PostTarget } from "./post-target.js";

const Approval = lazy(() => import("./post-approval.js"), 2);
const Discussion = lazy(() => import("./post-discussion.js"), 4);
await loadTexts("post"); // the page of all posts, and that of the team, show parts of this one, too

const UNDER_WAY = new Set(["queued", "publishing"]);
const WAITING = new Set(["pending", "publishing", "processing", "retrying", "unknown"]);

/** @typedef {import("signalpost/api").Schemas["Post"]} PostData */

/** Shown together, so that nothing moves: the post, its history, what the team says. @param {string} id */
function useEverything(id) {
  const loaded = useLoad(
    async () => (await Promise.all([get(`/posts/${id}`), Discussion.ready()]))[0],
    [id],
  );
  const history = useLoad(
    () => all(`/posts/${id}/audit`, {}, 200),
    [id, loaded.data?.updatedAt, loaded.data?.counts.published, loaded.data?.status],
  );
  const discussion = useLoad(() => all(`/posts/${id}/discussion`, {}, 500), [id]);
  const first = [loaded, history, discussion].find(({ loading, data }) => loading && !data) ?? loaded;
  return { loaded, history, discussion, first };
}

/** @param {{id: string, part: string}} props */
export default function Post({ id }) {
  const { loaded, history, discussion, first } = useEverything(id);
  useEffect(() => {
    Promise.all([loadBasics(), loadPlatforms()]).catch(toastProblem);
  }, []);
  const post = loaded.data;
  useLive(loaded.reload, {
    seconds: 1.5,
    concerns: ({ subject }) => subject === id,
    active:
      Boolean(post) &&
      (UNDER_WAY.has(post.status) ||
        post.targets.some((target) => WAITING.has(target.status) && target.status !== "pending")),
  });
  if (loaded.problem instanceof Problem && loaded.problem.status === 404) return html`<${NotFound} />`;
  return html`
    <${Loaded} loaded=${first} lines=${8}>
      ${() => html`
        <${Page}
          title=${titleOf(post).slice(0, 90)}
          subtitle=${
            html`
              <${PostState} post=${post} /> <${When} post=${post} />
            `
          }
          actions=${html`<${Actions} post=${post} reload=${loaded.reload} />`}
        >
          ${["pending", "changes_requested", "rejected"].includes(post.approval.state) && html`
            <${Approval} post=${post} reload=${loaded.reload} />
          `}
          ${post.held && post.heldReason !== "approval" && html`<${Held} post=${post} />`}
          <div class="columns">
            <div>
              <${Card} title=${t("Accounts")}>
                <ul class="list">
                  ${post.targets.map((target) => html`
                    <${PostTarget}
                      key=${target.id}
                      post=${post}
                      target=${target}
                      reload=${loaded.reload}
                    />
                  `)}
                </ul>
              <//>
              <${Discussion} id=${id} loaded=${discussion} />
              <${Card} title=${t("What happened")}>
                <${Loaded} loaded=${history}>
                  ${(/** @type {typeof history.data} */ entries) => html`
                    <${Timeline} entries=${entries} post=${post} />
                  `}
                <//>
              <//>
            </div>
            <${Content} post=${post} />
          </div>
        <//>
      `}
    <//>
  `;
}

/** @param {{post: PostData}} props */
function When({ post }) {
  const at = post.publishedAt ?? post.scheduledAt;
  return at ? html`
    <span>
      <${Time} at=${at} timeZone=${post.timezone} /> · ${zoneLabel(post.timezone, new Date(at))}
    </span>
  ` : null;
}

function NotFound() {
  return html`
    <${Page} title=${t("Not found")}>
      <${Empty}
        title=${t("There is no such post")}
        action=${html`<${LinkButton} href=${to("posts")}>${t("All posts")}<//>`}
      >
        ${t("It may be in the trash, or of another workspace.")}
      <//>
    <//>
  `;
}

/** @param {{post: PostData}} props */
function Held({ post }) {
  return html`
    <div class="notice warn" role="status">
      <${Icon} name="pause" />
      <div>
        <p>${heldSentence(post)}</p>
        ${post.warnings.map((warning) => html`
          <${Remedy} key=${`${warning.code} ${warning.accountId}`} warning=${warning} />
        `)}
      </div>
    </div>
  `;
}
