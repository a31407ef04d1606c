// A post at one account: its state, and what to do about it.
import { html, useState } from "../html.js";
import { Problem, newKey, post as send } from "../api.js";
import { Icon } from "../icons.js";
import { t, tn } from "../i18n.js";
import { useAction } from "../hooks.js";
import { isUnknownTarget } from "../post-parts.js";
import { mayEdit } from "../rights.js";
import { to } from "../router.js";
import { accountOf, may, networkName } from "../store.js";
import { Time } from "../time.js";
import { failureSentences, issueSentence } from "../words.js";
import { NetworkLogo } from "../components/network-logo.js";
import { Badge } from "../components/badge.js";
import { Button, LinkButton } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Field } from "../components/field.js";
import { toast } from "../components/toasts.js";

/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
/** @typedef {Post["targets"][0]} Target */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */

/** @param {{post: Post, target: Target, reload: () => Promise<void>}} props */
export function PostTarget({ post, target, reload }) {
  const account = accountOf(target.accountId);
  const lost = isUnknownTarget(target);
  return html`
    <li>
      <span class="name grow">
        <${NetworkLogo} platform=${target.platform} />
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
        target.error && html`
          <${Failure} post=${post} target=${target} error=${target.error} reload=${reload} />
        `
      )}
    </li>
  `;
}

/** @param {{error: NonNullable<Target["error"]>, platform: string}} props */
function Why({ error, platform }) {
  const { happened, detail, todo } = failureSentences({ ...error, platform });
  // The reason of the network, in its own words; what this service wrote about it is for developers.
  const reason = error.source === "platform" && error.message !== error.userMessage ? error.message : "";
  return html`
    <p>${happened}</p>
    ${detail && detail !== happened && html`<p>${detail}</p>`}
    ${reason && html`
      <p>
        ${t("{network} says:", { network: networkName(platform) })} <q lang="en">${reason}</q>
      </p>
    `}
    ${todo && html`
      <p>
        <strong>${t("What to do:")}</strong> ${todo}
      </p>
    `}
    <details class="small">
      <summary>${t("Details for developers")}</summary>
      <div lang="en">
        <p>
          <a href="/docs/guides/outcomes#codes" target="_blank" rel="noopener">
            <code>${error.code}</code>
          </a>
          ${error.rule && html`
            ${" "}
            · <code>${error.rule}</code>
            `}
          ${error.httpStatus ? ` · HTTP ${error.httpStatus}` : ""}
          ${error.platformCode ? ` · ${error.platformCode}` : ""}
        </p>
        <p>${error.message}</p>
        ${error.remediation && html`<p>${error.remediation}</p>`}
      </div>
    </details>
  `;
}

/**
 * @param {{
 *   post: Post, target: Target, error: NonNullable<Target["error"]>, reload: () => Promise<void>
 * }} props
 */
function Failure({ post, target, error, reload }) {
  const [busy, again] = useAction(async () => {
    await send(`/posts/${post.id}/retry`, { targetIds: [target.id] });
    await reload();
  });
  const canReconnect = ["auth_expired", "permission_missing", "account_disconnected"].includes(error.code);
  return html`
    <div class="notice bad full">
      <${Icon} name="cross" />
      <div>
        <${Why} error=${error} platform=${target.platform} />
        <p class="small soft">${tn(target.attempts, "{n} attempt", "{n} attempts")}</p>
        <div class="actions">
          ${canReconnect && may("accounts:write") && html`
            <${LinkButton} href=${to(`accounts/${target.accountId}`)} icon="link">
              ${t("Reconnect the account")}
            <//>
          `}
          ${target.status === "failed" && may("posts:publish") && html`
            <${Button} icon="retry" busy=${busy} onClick=${again}>
              ${t("Try again")}
            <//>
          `}
          ${!error.retryable && (post.status === "failed" ? mayEdit(post) : may("posts:write")) && html`
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
 * @param {{
 *   post: Post, target: Target, account: PlatformAccount | undefined, reload: () => Promise<void>
 * }} props
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
 * @param {{
 *   post: Post, target: Target, outcome: string, onClose: () => void, reload: () => Promise<void>
 * }} props
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
          error=${problem?.issues[0] && issueSentence(problem.issues[0])}
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
