// What is shown of a post in several places.
import { html } from "./html.js";
import { Time } from "./time.js";
import { t, tn } from "./i18n.js";
import { to } from "./router.js";
import { networkName } from "./store.js";
import { Avatar } from "./components/avatar.js";
import { Badge } from "./components/badge.js";
import { Table } from "./components/table.js";

/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
/** @typedef {import("signalpost/api").Schemas["PostWarning"]} PostWarning */
/** @typedef {import("signalpost/api").Schemas["Target"]} Target */
/** The state of a post; held posts say so. @param {{post: Post}} props */
export const PostState = ({ post }) => html`
  <${Badge} state=${isUnknown(post) ? "unknown" : post.held ? "held" : post.status} />
`;

/** Whether the outcome of a target is not known. @param {Target} target */
export const isUnknownTarget = (target) =>
  target.status === "unknown" || target.error?.code === "outcome_unknown";
/** @param {Post} post */
export const isUnknown = (post) => post.targets.some(isUnknownTarget);

const ACCOUNT_CODES = new Set([
  "auth_expired",
  "account_disconnected",
  "account_restricted",
  "account_paused",
]);

/**
 * What to do about a warning. About accounts and approvals the service tells programs which operation to
 * call: people get a page.
 * @param {{warning: PostWarning}} props
 */
export function Remedy({ warning }) {
  if (warning.accountId && ACCOUNT_CODES.has(warning.code))
    return html`
      <p class="small">
        <a href=${to(`accounts/${warning.accountId}`)}>${t("Open the account")}</a>
      </p>
    `;
  return warning.remediation && warning.code !== "approval_required" ? html`
    <p class="small">${warning.remediation}</p>
  ` : null;
}

/** @param {Post} post */
export const titleOf = (post) =>
  post.title ||
  post.text ||
  (post.media.length ? tn(post.media.length, "{n} file", "{n} files") : t("Empty draft"));

/** The networks of a post, by their initials. @param {{post: Post}} props */
export function Networks({ post }) {
  const names = [...new Set(post.targets.map((target) => target.platform))].map((key) =>
    networkName(/** @type {string} */ (key)),
  );
  return html`
    <span class="networks" title=${names.join(", ")}>
      ${names.slice(0, 5).map((name) => html`
        <${Avatar} name=${name} />
      `)}
      ${names.length > 5 ? `+${names.length - 5}` : ""}
      <span class="hidden">${names.join(", ")}</span>
    </span>
  `;
}

/** @param {{posts: Post[], label: string}} props */
export function PostTable({ posts, label }) {
  const rows = posts.map((post) => ({
    key: post.id,
    href: to(post.status === "draft" ? `compose/${post.id}` : `posts/${post.id}`),
    cells: [
      html`<span class="clip">${titleOf(post)}</span>`,
      html`<${Networks} post=${post} />`,
      html`<${PostState} post=${post} />`,
      html`<${Time} at=${post.publishedAt ?? post.scheduledAt ?? post.createdAt} />`,
    ],
  }));
  return html`
    <${Table}
      label=${label}
      columns=${[t("Post"), t("Networks"), t("State"), t("Time")]}
      rows=${rows}
      atFirst=${Infinity}
    />
  `;
}
