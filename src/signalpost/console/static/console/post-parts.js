// What is shown of a post in several places.
import { html } from "./html.js";
import { get, local } from "./api.js";
import { Icon } from "./icons.js";
import { t, tn } from "./i18n.js";
import { useLoad } from "./hooks.js";
import { to } from "./router.js";
import { networkName } from "./store.js";
import { Time } from "./time.js";
import { Badge } from "./components/badge.js";
import { NetworkLogo } from "./components/network-logo.js";
import { Table } from "./components/table.js";
import { inView } from "./units.js";

/** @typedef {import("./html.js").Children} Children */
/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
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

/** @param {Post} post */
export const titleOf = (post) =>
  post.title ||
  post.text ||
  (post.media.length ? tn(post.media.length, "{n} file", "{n} files") : t("Empty draft"));

/** The networks of a post, by their marks. @param {{post: Post}} props */
export function Networks({ post }) {
  const keys = [...new Set(post.targets.map((target) => target.platform))];
  const names = keys.map(networkName);
  return html`
    <span class="networks" title=${names.join(", ")}>
      ${keys.slice(0, 5).map((key) => html`
        <${NetworkLogo} platform=${key} />
      `)}
      ${names.length > 5 ? `+${names.length - 5}` : ""}
      <span class="hidden">${names.join(", ")}</span>
    </span>
  `;
}

/**
 * @param {{
 *   posts: Post[], label: string, pick?: (post: Post) => Children, pickAll?: Children
 * }} props `pick`, `pickAll`: the box in front of each row, and above them
 */
export function PostTable({ posts, label, pick, pickAll }) {
  const rows = posts.map((post) => ({
    key: post.id,
    href: to(post.status === "draft" ? `compose/${post.id}` : `posts/${post.id}`),
    cells: [
      html`<span class="clip">${titleOf(post)}</span>`,
      html`<${Networks} post=${post} />`,
      html`<${PostState} post=${post} />`,
      html`<${Time} at=${post.publishedAt ?? post.scheduledAt ?? post.createdAt} />`,
    ],
    pick: pick?.(post),
  }));
  return html`
    <${Table}
      label=${label}
      columns=${[t("Post"), t("Networks"), t("State"), t("Time")]}
      rows=${rows}
      pickAll=${pickAll}
      atFirst=${Infinity}
    />
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
      style=${inView(file.focalPoint)}
    />
  ` : html`
    <span class="thumb soft">
      <${Icon} name="image" label=${alt ?? t("File")} />
    </span>
  `;
}

/** "published_at_network" -> "Published at network". @param {string} action */
export function sentence(action) {
  const words = action.replaceAll(/[_.]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
