// What was sent, and what happened when.
import { html } from "../html.js";
import { t } from "../i18n.js";
import { Thumb, sentence } from "../post-parts.js";
import { Time } from "../time.js";
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

/** @param {{entries: AuditEntry[], post: Post}} props */
export function Timeline({ entries, post }) {
  const nameOf = (/** @type {string | null} */ id) =>
    post.targets.find((target) => target.id === id)?.username;
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
