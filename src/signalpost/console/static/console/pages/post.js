// One post: the state of every target and what to do about it, what happened when, and what was sent.
import { html, useEffect, useState } from "../html.js";
import { Problem, all, get, newKey, post as send, remove, local } from "../api.js";
import { Icon } from "../icons.js";
import { loadTexts, t, tn } from "../i18n.js";
import { useLive } from "../live.js";
import { PostState, Remedy, isUnknownTarget, titleOf } from "../post-parts.js";
import { go, to } from "../router.js";
import { accountOf, loadBasics, loadPlatforms, may, networkName } from "../store.js";
import { Time, zoneLabel } from "../time.js";
import { useAction, useLoad } from "../hooks.js";
import { Avatar } from "../components/avatar.js";
import { Badge } from "../components/badge.js";
import { Button, LinkButton } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Empty } from "../components/empty.js";
import { Check, Field } from "../components/field.js";
import { lazy } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { Card, Page } from "../components/page.js";
import { toast, toastProblem } from "../components/toasts.js";

const Approval = lazy(() => import("./post-approval.js"), 2);
await loadTexts("post"); // the page of all posts, and that of the team, show parts of this one, too

const UNDER_WAY = new Set(["queued", "publishing"]);
const WAITING = new Set(["pending", "publishing", "processing", "retrying", "unknown"]);

/** @param {{id: string, part: string}} props */
export default function Post({ id }) {
  const loaded = useLoad(() => get(`/posts/${id}`), [id]);
  const history = useLoad(
    () => all(`/posts/${id}/audit`, {}, 200),
    [id, loaded.data?.updatedAt, loaded.data?.counts.published, loaded.data?.status],
  );
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
  if (loaded.problem instanceof Problem && loaded.problem.status === 404) {
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
  // Shown together, so that nothing moves down.
  const first = post && history.loading && !history.data ? history : loaded;
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
          ${post.held && post.heldReason !== "approval" && html`
            <div class="notice warn" role="status">
              <${Icon} name="pause" />
              <div>
                <p>${post.heldMessage}</p>
                ${post.warnings.map((warning) => html`
                  <${Remedy} key=${`${warning.code} ${warning.accountId}`} warning=${warning} />
                `)}
              </div>
            </div>
          `}
          <div class="columns">
            <div>
              <${Card} title=${t("Accounts")}>
                <ul class="list">
                  ${post.targets.map((target) => html`
                    <${Target}
                      key=${target.id}
                      post=${post}
                      target=${target}
                      reload=${loaded.reload}
                    />
                  `)}
                </ul>
              <//>
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

/** @param {{post: any}} props */
function When({ post }) {
  const at = post.publishedAt ?? post.scheduledAt;
  return at ? html`
    <span>
      <${Time} at=${at} timeZone=${post.timezone} /> · ${zoneLabel(post.timezone, new Date(at))}
    </span>
  ` : null;
}

/** @param {{post: any, reload: () => Promise<void>}} props */
function Actions({ post, reload }) {
  const [asking, setAsking] = useState(false);
  const canCancel =
    (may("posts:publish") ||
      (may("posts:write") && !["approved", "not_required"].includes(post.approval.state))) &&
    ["scheduled", "queued"].includes(post.status);
  const canEdit = may("posts:write") && !["published", "publishing", "partial"].includes(post.status);
  const [busy, cancel] = useAction(async () => {
    await remove(`/queue/cancel/${post.id}`);
    toast(t("Taken off the queue; it is a draft now."), {
      undo:
        post.scheduledAt && new Date(post.scheduledAt) > new Date()
          ? () =>
              send(`/queue/submit/${post.id}`, { scheduledAt: post.scheduledAt }).then(reload, toastProblem)
          : undefined,
    });
    await reload();
  });
  return html`
    ${canEdit && html`
      <${LinkButton} href=${to(`compose/${post.id}`)} icon="compose">
        ${t("Edit")}
      <//>
    `}
    ${post.status === "draft" && may("posts:publish") && html`<${Submit} post=${post} reload=${reload} />`}
    ${post.status === "draft" &&
      post.approval.state !== "pending" &&
      may("posts:write") &&
      !may("posts:publish") && html`<${Offer} post=${post} reload=${reload} />`}
    ${canCancel && html`
      <${Button} icon="pause" busy=${busy} onClick=${cancel}>
        ${t("Take off the queue")}
      <//>
    `}
    ${may("posts:write") && html`
      <${LinkButton} href=${to("compose", { copy: post.id })} icon="copy">
        ${t("Duplicate")}
      <//>
      <${Button} kind="danger" icon="trash" onClick=${() => setAsking(true)}>
        ${t("Delete")}
      <//>
      `}
    ${asking && html`<${Delete} post=${post} onClose=${() => setAsking(false)} />`}
  `;
}

/** @param {{post: any, reload: () => Promise<void>}} props */
function Submit({ post, reload }) {
  const [key] = useState(newKey);
  const [busy, submit] = useAction(async () => {
    await send(`/queue/submit/${post.id}`, {}, { key });
    await reload();
  });
  return html`
    <${Button} kind="primary" icon="send" busy=${busy} onClick=${submit}>
      ${t("Publish now")}
    <//>
  `;
}

/** What someone may do who does not publish. @param {{post: any, reload: () => Promise<void>}} props */
function Offer({ post, reload }) {
  const [busy, offer] = useAction(async () => {
    await send(`/posts/${post.id}/request-approval`, { version: post.version }, { key: newKey() });
    toast(t("Approval is requested."));
    await reload();
  });
  return html`
    <${Button} kind="primary" icon="check" busy=${busy} onClick=${offer}>
      ${t("Ask for approval")}
    <//>
  `;
}

/** @param {{post: any, onClose: () => void}} props */
function Delete({ post, onClose }) {
  const isPublic = post.targets.some((/** @type {any} */ target) => target.status === "published");
  const [cascade, setCascade] = useState(false);
  const [busy, act] = useAction(async () => {
    await remove(`/posts/${post.id}`, { query: { cascade: cascade || undefined } });
    const undo = cascade
      ? undefined
      : () => send(`/posts/${post.id}/restore`, {}).then(() => go(`posts/${post.id}`), toastProblem);
    toast(t("Moved to the trash."), { undo });
    go("posts");
  });
  return html`
    <${Dialog}
      title=${t("Delete this post?")}
      onClose=${onClose}
      onSubmit=${act}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Keep it")}<//>
          <${Button} kind="danger" type="submit" busy=${busy}>
            ${t("Delete")}
          <//>
        `
      }
    >
      <p>${t("It goes to the trash and can be restored for 30 days. What waits is not published.")}</p>
      ${isPublic && html`
        <${Check}
          label=${t("Also remove it from the networks")}
          hint=${t("This cannot be undone.")}
          checked=${cascade}
          onChange=${setCascade}
        />
      `}
    <//>
  `;
}

/** @param {{post: any, target: any, reload: () => Promise<void>}} props */
function Target({ post, target, reload }) {
  const account = accountOf(target.accountId);
  const lost = isUnknownTarget(target);
  return html`
    <li>
      <span class="name grow">
        <${Avatar} name=${networkName(target.platform)} />
        <span>
          <strong>${target.username}</strong>
          <br />
          <span class="soft">${networkName(target.platform)}</span>
        </span>
      </span>
      <${Badge} state=${lost ? "unknown" : target.status} />
      ${target.url && html`
        <a href=${target.url} target="_blank" rel="noopener noreferrer">
          ${t("Open the post")}
        </a>
      `}
      ${target.nextAttemptAt && ["retrying", "unknown", "processing"].includes(target.status) && html`
        <span class="soft small">
          ${t("next look:")} <${Time} at=${target.nextAttemptAt} kind="relative" />
        </span>
      `}
      ${lost ? html`
        <${Unknown} post=${post} target=${target} account=${account} reload=${reload} />
      ` : (
        target.error && html`<${Failure} post=${post} target=${target} reload=${reload} />`
      )}
    </li>
  `;
}

/** @param {{post: any, target: any, reload: () => Promise<void>}} props */
function Failure({ post, target, reload }) {
  const { error } = target;
  const [busy, again] = useAction(async () => {
    await send(`/posts/${post.id}/retry`, { targetIds: [target.id] });
    await reload();
  });
  const canReconnect = ["auth_expired", "permission_missing", "account_disconnected"].includes(error.code);
  return html`
    <div class="notice bad full">
      <${Icon} name="cross" />
      <div>
        <p>${error.userMessage || error.message}</p>
        ${error.userMessage && error.message !== error.userMessage && html`<p>${error.message}</p>`}
        ${error.remediation && html`
          <p>
            <strong>${t("What to do:")}</strong> ${error.remediation}
          </p>
        `}
        <p class="small">
          <a href=${`/docs/guides/outcomes#codes`} target="_blank" rel="noopener">
            ${error.code}
          </a>
          ${error.httpStatus ? ` · HTTP ${error.httpStatus}` : ""} ·${" "}
          ${tn(target.attempts, "{n} attempt", "{n} attempts")}
        </p>
        <div class="actions">
          ${canReconnect && html`
            <${LinkButton} href=${to(`accounts/${target.accountId}`)} icon="link">
              ${t("Reconnect the account")}
            <//>
          `}
          ${target.status === "failed" && may("posts:publish") && html`
            <${Button} icon="retry" busy=${busy} onClick=${again}>
              ${t("Try again")}
            <//>
          `}
          ${!error.retryable && may("posts:write") && html`
            <${LinkButton}
              href=${post.status === "failed" ? to(`compose/${post.id}`) : to("compose", { copy: post.id })}
              icon="compose"
            >
              ${t("Change the post")}
            <//>
          `}
        </div>
      </div>
    </div>
  `;
}

/**
 * The outcome is not known: look, then say.
 * @param {{post: any, target: any, account: any, reload: () => Promise<void>}} props
 */
function Unknown({ post, target, account, reload }) {
  const [asking, setAsking] = useState("");
  const still = target.status === "unknown";
  return html`
    <div class="notice unknown full">
      <${Icon} name="question" />
      <div>
        <p>
          ${still
            ? t(
                "The answer of the network was lost. We are asking it whether the post is there; nothing is sent again meanwhile.",
              )
            : t(
                "The answer of the network was lost, and it could not tell whether the post is there. Nothing is sent again unless you say so.",
              )}
        </p>
        <div class="actions">
          ${account?.profileUrl && html`
            <a
              class="button plain"
              href=${account.profileUrl}
              target="_blank"
              rel="noopener noreferrer"
            >
              <${Icon} name="link" />
              <span>${t("Look at the account")}</span>
            </a>
          `}
          ${may("posts:publish") && html`
            <${Button} icon="check" onClick=${() => setAsking("published")}>
              ${t("It is there")}
            <//>
            ${!still && html`
              <${Button} icon="retry" onClick=${() => setAsking("not_published")}>
                ${t("It is not there")}
              <//>
            `}
            `}
        </div>
      </div>
    </div>
    ${asking && html`
      <${Resolve}
        post=${post}
        target=${target}
        outcome=${asking}
        onClose=${() => setAsking("")}
        reload=${reload}
      />
    `}
  `;
}

/**
 * @param {{post: any, target: any, outcome: string, onClose: () => void, reload: () => Promise<void>}} props
 */
function Resolve({ post, target, outcome, onClose, reload }) {
  const [url, setUrl] = useState("");
  const [problem, setProblem] = useState(/** @type {Problem | null} */ (null));
  const [key] = useState(newKey);
  const isThere = outcome === "published";
  const [busy, say] = useAction(async () => {
    try {
      await send(
        `/posts/${post.id}/resolve`,
        { targetId: target.id, outcome, url: (isThere && url.trim()) || undefined },
        { key: `${key}${url.length}` },
      );
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 422) throw error;
      setProblem(error);
      return;
    }
    onClose();
    toast(isThere ? t("It counts as published.") : t("It is posted again."));
    await reload();
  });
  return html`
    <${Dialog}
      title=${isThere ? t("Is it at {account}?", { account: target.username }) : t("Post it again?")}
      onClose=${onClose}
      onSubmit=${say}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Not now")}<//>
          <${Button} kind="primary" type="submit" busy=${busy} autofocus=${!isThere}>
            ${isThere ? t("Yes, it is there") : t("Post it again")}
          <//>
        `
      }
    >
      ${isThere ? html`
        <${Field}
          label=${t("Its address")}
          type="url"
          value=${url}
          onInput=${setUrl}
          placeholder="https://"
          maxlength="2048"
          autofocus
          hint=${t("Optional: copy it from the network, so that everyone here finds the post.")}
          error=${problem?.issues[0]?.message}
        />
      ` : html`
        <p>
          ${t("If the post is at {account} after all, it will be there twice.", {
            account: target.username,
          })}
        </p>
      `}
    <//>
  `;
}

/** @param {{post: any}} props */
function Content({ post }) {
  return html`
    <div>
      <${Card} title=${t("Content")}>
        <p class="post-text" dir="auto">
          ${post.text || html`<span class="soft">${t("No text")}</span>`}
        </p>
        ${post.thread.map((/** @type {any} */ part) => html`
          <hr />
          <p class="post-text" dir="auto">
            ${part.text}
          </p>
        `)}
        ${post.media.length > 0 && html`
          <div class="thumbs">
            ${post.media.map((/** @type {any} */ file) => html`
              <${Thumb} key=${file.mediaId} id=${file.mediaId} alt=${file.altText} />
            `)}
          </div>
        `}
        ${post.link && html`
          <p>
            <a href=${post.link} rel="noopener noreferrer" target="_blank">
              ${post.link}
            </a>
          </p>
        `}
        ${post.firstComment && html`
          <h3>${t("First comment")}</h3>
          <p class="post-text" dir="auto">
            ${post.firstComment}
          </p>
        `}
      <//>
      <${Card} title=${t("Details")}>
        <dl class="facts">
          <dt>${t("Id")}</dt>
          <dd>
            <code>${post.id}</code>
          </dd>
          <dt>${t("Created")}</dt>
          <dd>
            <${Time} at=${post.createdAt} />
            ${post.createdBy.name && ` · ${post.createdBy.name}`}
          </dd>
          ${post.tags.length > 0 && html`
            <dt>${t("Tags")}</dt>
            <dd>${post.tags.join(", ")}</dd>
          `}
          ${post.campaign && html`
            <dt>${t("Campaign")}</dt>
            <dd>${post.campaign}</dd>
          `}
          ${post.externalId && html`
            <dt>${t("External id")}</dt>
            <dd>
              <code>${post.externalId}</code>
            </dd>
          `}
          ${post.notes && html`
            <dt>${t("Notes")}</dt>
            <dd>${post.notes}</dd>
          `}
        </dl>
      <//>
    </div>
  `;
}

/** @param {{id: string, alt: string | null}} props */
export function Thumb({ id, alt }) {
  const loaded = useLoad(() => get(`/media/${id}`, {}, { quiet: true }), [id]);
  const file = loaded.data;
  return file?.thumbnailUrl || file?.url ? html`
    <img
      class="thumb"
      src=${local(file.thumbnailUrl ?? file.url ?? "")}
      alt=${alt ?? file.altText ?? ""}
      loading="lazy"
    />
  ` : html`
    <span class="thumb soft">
      <${Icon} name="image" label=${alt ?? t("File")} />
    </span>
  `;
}

/** @param {{entries: any[], post: any}} props */
function Timeline({ entries, post }) {
  const nameOf = (/** @type {string | null} */ id) =>
    post.targets.find((/** @type {any} */ target) => target.id === id)?.username;
  return html`
    <ol class="timeline">
      ${entries.map((entry) => html`
        <li key=${entry.id}>
          <div>
            <strong>${sentence(entry.action)}</strong>
            ${nameOf(entry.targetId) && html` · ${nameOf(entry.targetId)}`}
            <span class="soft">
              ${" "}
              · ${entry.actor.name ?? (entry.actor.type === "system" ? t("the service") : entry.actor.type)}
            </span>
          </div>
          ${entry.attempt && html`
            <div class="soft small">
              ${t("attempt {n}", { n: entry.attempt.number })} · ${entry.attempt.durationMs} ms
              ${entry.attempt.httpStatus ? ` · HTTP ${entry.attempt.httpStatus}` : ""}
            </div>
            ${(entry.attempt.request || entry.attempt.response) && html`
              <details>
                <summary>${t("Request and response")}</summary>
                <pre tabindex="0">
                  ${JSON.stringify(entry.attempt.request, null, 1)}\n\n${entry.attempt.response ?? ""}
                </pre>
              </details>
            `}
          `}
          <div class="soft small">
            <${Time} at=${entry.at} />
          </div>
        </li>
      `)}
    </ol>
  `;
}

/** "published_at_network" -> "Published at network". @param {string} action */
export function sentence(action) {
  const words = action.replaceAll(/[_.]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
