// A post in the calendar: as an entry of a day, and in a dialog from which it is moved without dragging.
import { html, signal, useState } from "../html.js";
import { Icon } from "../icons.js";
import { t } from "../i18n.js";
import { Networks, PostState, isUnknown, titleOf } from "../post-parts.js";
import { hasClients } from "../client-switcher.js";
import { mayEdit } from "../rights.js";
import { to } from "../router.js";
import { choose, chosen } from "../selection.js";
import { may, profiles } from "../store.js";
import { Time, format, wallTime, zoneLabel } from "../time.js";
import { pictures } from "../pictures.js";
import { heldSentence } from "../words.js";
import { clockNote, resolve } from "../zones.js";
import { stateLook } from "../components/badge.js";
import { Button, LinkButton } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Check, Field } from "../components/field.js";

/** @typedef {import("signalpost/api").Schemas["Post"]} Post */

/** The file that stands for a post. @param {Post} post */
export const pictureOf = (post) =>
  post.media[0]?.mediaId ?? post.targets.find(({ media }) => media?.length)?.media?.[0].mediaId;
/** When a post is or was due. @param {Post} post @returns {string} */
export const momentOf = (post) => post.scheduledAt ?? post.publishedAt ?? post.createdAt;
/** Whether it is a draft without a time: it stands at the day on which it was begun. @param {Post} post */
export const isUntimed = (post) => post.status === "draft" && !post.scheduledAt;
/** Whether its time can still be changed. @param {Post} post */
export const movable = (post) => ["scheduled", "draft"].includes(post.status);
/** The time that is offered to move it to. @param {Post} post @param {string} zone */
const wallOf = (post, zone) => wallTime(isUntimed(post) ? nextHour() : new Date(momentOf(post)), zone);
/** @param {Post} post */
const isEditable = (post) =>
  ["draft", "scheduled", "queued", "failed"].includes(post.status) && mayEdit(post);
/** @param {Post} post */
export const isRepeated = (post) => Boolean(post.recurrence ?? post.recurrenceParentId);
/** @param {Post} post */
const isPending = (post) => ["pending", "changes_requested"].includes(post.approval.state);

/** The time of day. @param {string} at @param {string} zone */
export const timeOf = (at, zone) => format(at, { hour: "2-digit", minute: "2-digit" }, zone);

/** The post that is being dragged. */
export const dragged = { post: /** @type {Post | null} */ (null) };
/** The list of drafts beside the calendar, when it is open. */
export const drafts = { reload: async () => {} };
const HOUR_MS = 3_600_000;
const nextHour = () => new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS);

/** Whether a click chooses an entry instead of opening it. */
export const isChoosing = signal(false);
/** What the calendar shows, in the order of time. */
export const inView = { current: /** @type {Post[]} */ ([]) };

/** @param {MouseEvent} event @param {Post} post @param {(post: Post) => void} open */
function clicked(event, post, open) {
  event.stopPropagation();
  const isPlain = !event.shiftKey && !event.ctrlKey && !event.metaKey;
  if (isPlain && !isChoosing.value) open(post);
  else choose(post, !chosen.value.has(post.id), event.shiftKey ? inView.current : []);
}

/** The colour of the client, where there are several. @param {{profileId: string}} props */
function Edge({ profileId }) {
  const own = hasClients() && profiles.value?.find(({ id }) => id === profileId);
  return (
    own && html`
      <svg class="entry-edge" viewBox="0 0 4 4" preserveAspectRatio="none" aria-hidden="true">
        <rect width="4" height="4" fill=${own.color ?? "var(--field)"} />
      </svg>
      <span class="hidden">${own.name}</span>
    `
  );
}

/** Its place is kept until it has come. @param {{post: Post}} props */
function Picture({ post }) {
  const id = pictureOf(post);
  const url = id && pictures.value[id];
  if (!id || url === "") return null;
  return html`
    <span class="entry-picture">${url && html`<img src=${url} alt="" loading="lazy" />`}</span>
  `;
}

/** @param {{post: Post, zone: string, open: (post: Post) => void, isBig?: boolean}} props */
export function Entry({ post, zone, open, isBig }) {
  const state = isUnknown(post) ? "unknown" : post.held ? "held" : post.status;
  const { tone, icon, word } = stateLook(state);
  const canMove = movable(post) && (may("posts:publish") || mayEdit(post));
  const isChosen = chosen.value.has(post.id);
  const start = (/** @type {DragEvent} */ event) => {
    dragged.post = post;
    event.dataTransfer?.setData("text/plain", titleOf(post));
  };
  return html`
    <button
      type="button"
      id=${`entry-${post.id}`}
      data-post=${post.id}
      class=${`entry ${tone}${isBig ? " big" : ""}${isChosen ? " chosen" : ""}`}
      aria-pressed=${isChosen || isChoosing.value ? String(isChosen) : undefined}
      draggable=${canMove ? "true" : undefined}
      title=${isBig ? undefined : titleOf(post)}
      onDragStart=${canMove ? start : undefined}
      onDragEnd=${() => {
        dragged.post = null;
      }}
      onClick=${(/** @type {MouseEvent} */ event) => clicked(event, post, open)}
    >
      <${Edge} profileId=${post.profileId} />
      <span class="entry-head">
        <${Icon} name=${isChosen ? "check" : icon} />
        <span class="hidden">${word}</span>
        ${!isUntimed(post) && html`<span class="entry-time">${timeOf(momentOf(post), zone)}</span>`}
        ${isRepeated(post) && html`<${Icon} name="repeat" label=${t("Repeats")} />`}
        ${isPending(post) && html`<${Icon} name="question" label=${t("Waits for approval")} />`}
        <${Networks} post=${post} />
      </span>
      <span class="entry-title" dir="auto">
        ${isUntimed(post) && html`
          <em dir="auto">${t("no time yet")}:</em>${" "}
        `}
        ${titleOf(post).slice(0, 200)}
      </span>
      <${Picture} post=${post} />
      ${canMove && html`<span class="hidden">${t("open or move")}</span>`}
    </button>
  `;
}

/** @typedef {(at: Date, isSchedule: boolean) => void} Mover */

/** @param {{post: Post, zone: string, onClose: () => void, onMove: Mover | null}} props */
export function PostDialog({ post, zone, onClose, onMove }) {
  const [wall, setWall] = useState(wallOf(post, zone));
  const [isSchedule, setSchedule] = useState(false);
  const at = wall ? resolve(wall, zone) : null;
  const error = wall ? clockNote(wall, zone) : undefined;
  const isSame = !isSchedule && at?.toISOString() === new Date(momentOf(post)).toISOString();
  return html`
    <${Dialog}
      title=${
        isUntimed(post)
          ? t("Draft without a time")
          : t("Post of {day}", {
              day: format(momentOf(post), { weekday: "short", day: "numeric", month: "short" }, zone),
            })
      }
      onClose=${onClose}
      onSubmit=${onMove && at && !isSame ? () => onMove(at, isSchedule) : undefined}
      actions=${
        html`
          <${LinkButton} href=${to(`posts/${post.id}`)}>${t("Open the post")}<//>
          ${isEditable(post) && html`
            <${LinkButton} href=${to(`compose/${post.id}`)} icon="compose">
              ${t("Edit")}
            <//>
          `}
          ${onMove && html`
            <${Button}
              kind="primary"
              type="submit"
              aria-disabled=${isSame || !at ? "true" : undefined}
            >
              ${t("Move")}
            <//>
          `}
        `
      }
    >
      <${Summary} post=${post} zone=${zone} />
      ${onMove && html`
        <${Field}
          label=${t("Move to…")}
          type="datetime-local"
          value=${wall}
          min=${wallTime(new Date(), zone)}
          onInput=${setWall}
          hint=${zoneLabel(zone, at ?? new Date())}
          error=${error}
        />
        ${post.status === "draft" && may("posts:publish") && html`
          <${Check}
            label=${t("Schedule it for this time")}
            hint=${t("Otherwise it stays a draft, and nothing goes out.")}
            checked=${isSchedule}
            onChange=${setSchedule}
          />
        `}
      `}
    <//>
  `;
}

/** @param {{post: Post, zone: string}} props */
function Summary({ post, zone }) {
  return html`
    <div class="calendar-post">
      <p class="actions">
        <${PostState} post=${post} />
        <${Networks} post=${post} />
        ${isRepeated(post) && html`
          <span class="badge info">
            <${Icon} name="repeat" />
            ${t("Repeats")}
          </span>
        `}
        ${isPending(post) && html`
          <span class="badge warn">
            <${Icon} name="question" />
            ${t("Waits for approval")}
          </span>
        `}
      </p>
      <p class="post-text clip-text" dir="auto">
        ${titleOf(post)}
      </p>
      <p class="soft">
        ${post.scheduledAt ? t("Scheduled for:") : post.publishedAt ? t("Published:") : t("Written:")}${" "}
        <${Time} at=${momentOf(post)} timeZone=${zone} /> · ${zoneLabel(zone, new Date(momentOf(post)))}
        ${post.tags.length > 0 && ` · ${post.tags.join(", ")}`}
      </p>
      ${post.heldMessage && html`
        <p class="notice warn">
          <${Icon} name="pause" />
          ${heldSentence(post)}
        </p>
      `}
    </div>
  `;
}
