// What was sent, and what happened when.
import { html } from "../html.js";
import { t } from "../i18n.js";
import { Thumb } from "../post-parts.js";
import { networkName } from "../store.js";
import { Time } from "../time.js";
import { NetworkLogo } from "../components/network-logo.js";
import { Card } from "../components/page.js";

/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
/** @typedef {import("signalpost/api").Schemas["AuditEntry"]} AuditEntry */

/** @param {{post: Post}} props */
export function Content({ post }) {
  return html`
    <div>
      <${Card} title=${t("Content")}>
        <p class="post-text" dir="auto">
          ${post.text || html`<span class="soft">${t("No text")}</span>`}
        </p>
        ${post.targets
          .filter(({ text }) => text !== null && text !== post.text)
          .map((target) => html`
            <${OwnText} key=${target.id} target=${target} />
          `)}
        ${post.thread.map((part) => html`
          <hr />
          <p class="post-text" dir="auto">
            ${part.text}
          </p>
        `)}
        ${post.media.length > 0 && html`
          <div class="thumbs">
            ${post.media.map((file) => html`
              <${Thumb} key=${file.mediaId} id=${file.mediaId} alt=${file.altText} />
            `)}
          </div>
        `}
        ${post.link && html`
          <p class="post-text">
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
      <${Details} post=${post} />
    </div>
  `;
}

/** What one account shows instead. @param {{target: Post["targets"][0]}} props */
const OwnText = ({ target }) => html`
  <h3>
    <${NetworkLogo} platform=${target.platform} /> ${networkName(target.platform)}${" "}
    <span class="soft">${target.username}</span>
  </h3>
  <p class="post-text" dir="auto">
    ${target.text}
  </p>
`;

/** As they stand in an address; without a source it is the network. @param {NonNullable<Post["utm"]>} utm */
const parametersOf = (utm) =>
  Object.entries({ ...utm, source: utm.source ?? "…" })
    .filter(([, value]) => value)
    .map(([name, value]) => `utm_${name}=${value}`)
    .join("&");

/** @param {{post: Post}} props */
function Details({ post }) {
  return html`
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
        ${post.utm && html`
          <dt>${t("Its links carry")}</dt>
          <dd>
            <code>${parametersOf(post.utm)}</code>
          </dd>
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
  `;
}

/**
 * What happened, in a word or two. A request for changes is a rejection that may come back.
 * @param {AuditEntry} entry
 */
function whatHappened({ action, changes }) {
  const wantsChanges = changes?.some(({ to }) => to === "changes_requested");
  const words = /** @type {Record<string, string>} */ ({
    approval_requested: t("Approval requested"),
    approved: t("Approved"),
    cancelled: t("Taken off the queue"),
    commented: t("Commented"),
    created: t("Created"),
    purged: t("Deleted for good"),
    queued: t("Queued"),
    reconciled: t("Looked up at the network"),
    recurrence_failed: t("The next one could not be made"),
    rejected: wantsChanges ? t("Changes requested") : t("Rejected"),
    restored: t("Restored"),
    retried: t("Sent again"),
    "target.attempt": t("Attempt"),
    "target.failed": t("Failed"),
    "target.published": t("Published"),
    "target.unknown": t("Not known whether it arrived"),
    trashed: t("Moved to the trash"),
    updated: t("Changed"),
  });
  return words[action] ?? action;
}

/** @param {{entries: AuditEntry[], post: Post}} props */
export function Timeline({ entries, post }) {
  const nameOf = (/** @type {string | null} */ id) =>
    post.targets.find((target) => target.id === id)?.username;
  return html`
    <ol class="timeline">
      ${entries.map((entry) => html`
        <li key=${entry.id}>
          <div>
            <strong>${whatHappened(entry)}</strong>
            ${nameOf(entry.targetId) && html` · ${nameOf(entry.targetId)}`}
            <span class="soft">
              ${" "}
              · ${entry.actor.type === "system" ? t("the service") : (entry.actor.name ?? entry.actor.type)}
              ${entry.actor.type === "approval_link" && ` (${t("by link")})`}
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
