// What is asked before something is done with many posts.
import { html } from "../html.js";
import { t, tn } from "../i18n.js";
import { activeProfiles, profiles, workspaceZone } from "../store.js";
import { wallTime, zoneLabel } from "../time.js";
import { clockNote, resolve } from "../zones.js";
import { Field } from "../components/field.js";
import { FormDialog, useForm } from "../components/form.js";
import { tagsOf } from "./many-actions.js";

/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
/** @typedef {import("./many-actions.js").Kind} Kind */
/**
 * @typedef {{
 *   posts: Post[], act: (kind: Kind, values?: Record<string, string>) => Promise<void>, onClose: () => void
 * }} Props
 */

/** @param {Props & {kind: keyof typeof DIALOGS}} props */
export default function Ask({ kind, ...props }) {
  const Dialog = DIALOGS[kind];
  return html`<${Dialog} ...${props} />`;
}

/** The zone in which a time is chosen: that of the client, if all are of one. @param {Post[]} posts */
function zoneOf(posts) {
  const ids = new Set(posts.map(({ profileId }) => profileId));
  const [id] = ids;
  const own = ids.size === 1 && profiles.value?.find((profile) => profile.id === id)?.timezone;
  return own || workspaceZone.value;
}

/** @param {Props} props */
function Move({ posts, act, onClose }) {
  const zone = zoneOf(posts);
  const initial = { how: "by", way: "later", days: "1", hours: "0", minutes: "0", to: "", between: "0" };
  const form = useForm(initial, ({ how, ...values }) =>
    act("move", { ...values, zone, to: how === "to" ? values.to : "" }),
  );
  const { how, days, hours, minutes, to } = form.values;
  const isBy = how === "by";
  const isNothing = isBy ? !(Number(days) || Number(hours) || Number(minutes)) : !to;
  return html`
    <${FormDialog}
      title=${tn(posts.length, "Move {n} post", "Move {n} posts")}
      form=${form}
      submit=${t("Move")}
      disabled=${isNothing}
      onClose=${onClose}
    >
      <${Field}
        label=${t("How")}
        options=${[
          ["by", t("By a span of time")],
          ["to", t("To a time")],
        ]}
        ...${form.field("how")}
      />
      ${isBy ? html`
        <${Field}
          label=${t("Direction")}
          options=${[
            ["later", t("Later")],
            ["earlier", t("Earlier")],
          ]}
          ...${form.field("way")}
        />
        <div class="row many-span">
          <${Field} label=${t("Days")} type="number" min="0" max="364" ...${form.field("days")} />
          <${Field} label=${t("Hours")} type="number" min="0" max="999" ...${form.field("hours")} />
          <${Field} label=${t("Minutes")} type="number" min="0" max="999" ...${form.field("minutes")} />
        </div>
        <p class="soft">${t("By days, each keeps its time of day. Drafts stay drafts.")}</p>
      ` : html`
        <${Field}
          label=${t("Time")}
          type="datetime-local"
          min=${wallTime(new Date(), zone)}
          hint=${zoneLabel(zone, to ? resolve(to, zone) : new Date())}
          ...${form.field("to")}
          error=${to ? clockNote(to, zone) : undefined}
        />
        <${Field}
          label=${t("Minutes between them")}
          hint=${t("In the order of their times. Drafts stay drafts.")}
          type="number"
          min="0"
          max="9999"
          ...${form.field("between")}
        />
      `}
    <//>
  `;
}

/** @param {Props} props */
function Tag({ posts, act, onClose }) {
  const form = useForm({ way: "add", tags: "" }, (values) => act("tag", values));
  const used = [...new Set(posts.flatMap(({ tags }) => tags))].sort().slice(0, 20);
  return html`
    <${FormDialog}
      title=${tn(posts.length, "Tag {n} post", "Tag {n} posts")}
      form=${form}
      submit=${form.values.way === "add" ? t("Add") : t("Remove")}
      disabled=${!tagsOf(form.values.tags).length}
      onClose=${onClose}
    >
      <${Field}
        label=${t("What to do")}
        options=${[
          ["add", t("Add tags")],
          ["remove", t("Remove tags")],
        ]}
        ...${form.field("way")}
      />
      <${Field}
        label=${t("Tags")}
        maxlength="500"
        hint=${[
          t("Separated by commas."),
          used.length > 0 && t("They have: {tags}", { tags: used.join(", ") }),
        ]
          .filter(Boolean)
          .join(" ")}
        ...${form.field("tags")}
      />
    <//>
  `;
}

/** @param {Props} props */
function Approve({ posts, act, onClose }) {
  const form = useForm({}, () => act("approve"));
  const now = Date.now();
  const waiting = posts.filter(({ approval }) => approval.state === "pending");
  const due = waiting.filter(({ scheduledAt }) => !scheduledAt || Date.parse(scheduledAt) <= now).length;
  return html`
    <${FormDialog}
      title=${tn(waiting.length, "Approve {n} post?", "Approve {n} posts?")}
      form=${form}
      submit=${t("Approve")}
      disabled=${!waiting.length}
      onClose=${onClose}
    >
      <p>
        ${waiting.length
          ? t("They are published at their times. What was changed since you saw it is not approved.")
          : t("None of the chosen posts waits for approval.")}
      </p>
      ${due > 0 && html`
        <p class="notice warn">
          ${tn(
            due,
            "{n} of them has no time to come: it is published now.",
            "{n} of them have no time to come: they are published now.",
          )}
        </p>
      `}
    <//>
  `;
}

/** @param {Props} props */
function Copy({ posts, act, onClose }) {
  const own = new Set(posts.map(({ profileId }) => profileId));
  const [only] = own;
  const options = activeProfiles.value
    .filter(({ id }) => own.size > 1 || id !== only)
    .map(({ id, name }) => /** @type {[string, string]} */ ([id, name]));
  const form = useForm({ profileId: options[0]?.[0] ?? "" }, (values) => act("copy", values));
  return html`
    <${FormDialog}
      title=${tn(posts.length, "Duplicate {n} post", "Duplicate {n} posts")}
      form=${form}
      submit=${t("Make drafts")}
      onClose=${onClose}
    >
      <${Field} label=${t("For which client")} options=${options} ...${form.field("profileId")} />
      <p class="soft">
        ${t(
          "They become drafts for the accounts that this client has on the same networks, at the same times if these are still to come.",
        )}
      </p>
    <//>
  `;
}

/** @param {Props} props */
function Trash({ posts, act, onClose }) {
  const form = useForm({}, () => act("trash"));
  const isPublic = posts.filter(({ targets }) =>
    targets.some(({ status }) => status === "published"),
  ).length;
  return html`
    <${FormDialog}
      title=${tn(posts.length, "Delete {n} post?", "Delete {n} posts?")}
      form=${form}
      kind="danger"
      submit=${t("Delete")}
      onClose=${onClose}
    >
      <p>${t("They go to the trash and can be restored for 30 days. What waits is not published.")}</p>
      ${isPublic > 0 && html`
        <p class="notice warn">
          ${tn(
            isPublic,
            "{n} of them was published: it stays on its networks.",
            "{n} of them were published: they stay on their networks.",
          )}
        </p>
      `}
    <//>
  `;
}

const DIALOGS = { move: Move, tag: Tag, approve: Approve, copy: Copy, trash: Trash };
