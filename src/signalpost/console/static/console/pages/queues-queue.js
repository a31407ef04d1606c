// A queue: its name, its zone, its times of the week, and the next slots that come of them.
import { html, useState } from "../html.js";
import { all, get, newKey, patch, post } from "../api.js";
import { Button, LinkButton } from "../components/button.js";
import { Check, Field } from "../components/field.js";
import { errorAt, useForm } from "../components/form.js";
import { lazyDialog } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { Card, Page } from "../components/page.js";
import { ProblemBox } from "../components/problem-box.js";
import { ProfileField } from "../components/profile-field.js";
import { toast } from "../components/toasts.js";
import { useLoad } from "../hooks.js";
import { t } from "../i18n.js";
import { go, to } from "../router.js";
import { loadBasics, may, profiles } from "../store.js";
import { Time, zoneLabel } from "../time.js";
import { WEEK, weekdayName } from "../weekdays.js";

/** @typedef {import("signalpost/api").Schemas["SlotQueue"]} Queue */
/** @typedef {{key: string, time: string, days: number[]}} Slot */

const Delete = lazyDialog(() => import("./queues-delete.js"));
const SLOTS_MAX = 48;
const WORKDAYS = [0, 1, 2, 3, 4];

/** @param {{id: string, query: Record<string, string>}} props */
export default function QueuePage({ id, query }) {
  const loaded = useLoad(async () => {
    await loadBasics();
    const queues = id === "new" ? [] : await all("/queues");
    return { queue: queues.find((candidate) => candidate.id === id) ?? null };
  }, [id]);
  return html`
    <${Loaded} loaded=${loaded}>
      ${(/** @type {{queue: Queue | null}} */ { queue }) =>
        queue || id === "new" ? html`
          <${Editor} key=${queue?.version} queue=${queue} query=${query} reload=${loaded.reload} />
        ` : html`
          <${Page} title=${t("Not found")}>
            <p>
              ${t("There is no such queue.")} <a href=${to("queues")}>${t("Queues")}</a>
            </p>
          <//>
        `
      }
    <//>
  `;
}

/** @param {Queue["slots"]} slots @returns {Slot[]} */
const keyed = (slots) => slots.map((slot) => ({ ...slot, key: newKey() }));

/** @param {{queue: Queue | null, query: Record<string, string>, reload: () => Promise<void>}} props */
function Editor({ queue, query, reload }) {
  const [deleting, setDeleting] = useState(false);
  const [key] = useState(newKey);
  const form = useForm(
    {
      profileId: queue?.profileId ?? (query.profileId || (profiles.peek()?.[0]?.id ?? "")),
      name: queue?.name ?? "",
      slots: queue ? keyed(queue.slots) : [{ key: newKey(), time: "09:00", days: WORKDAYS }],
      timezone: queue?.timezone ?? "",
      active: queue?.active ?? true,
      isDefault: queue?.isDefault ?? false,
    },
    async ({ profileId, isDefault, ...values }) => {
      const body = {
        ...values,
        slots: values.slots.map(({ time, days }) => ({ time, days })),
        timezone: values.timezone || null,
        ...(isDefault ? { isDefault } : {}), // that another one is the usual one is said there
      };
      if (queue) {
        await patch(`/queues/${queue.id}`, body, { headers: { "If-Match": `"${queue.version}"` } });
        toast(t("Saved."));
        await reload();
        return;
      }
      const created = await post("/queues", { ...body, profileId }, { key });
      toast(t("{name} is a queue now.", { name: created.name }));
      go(`queues/${created.id}`, {}, { replace: true });
    },
  );
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    void form.submit();
  };
  return html`
    <${Page}
      title=${queue?.name ?? t("New queue")}
      subtitle=${html`<a href=${to("queues")}>${t("All queues")}</a>`}
      actions=${
        queue &&
        may("profiles:write") && html`
          <${Button} kind="danger" icon="trash" onClick=${() => setDeleting(true)}>
            ${t("Delete")}
          <//>
        `
      }
    >
      <div class="columns">
        <${Card} title=${t("Times")}>
          <form onSubmit=${submit}>
            ${form.problem && html`<${ProblemBox} problem=${form.problem} />`}
            <fieldset disabled=${!may("profiles:write")}>
              <${Fields} form=${form} queue=${queue} />
            </fieldset>
            ${may("profiles:write") && html`
              <${Button} kind="primary" type="submit" busy=${form.busy}>
                ${t("Save")}
              <//>
            `}
          </form>
        <//>
        ${queue && html`<${Preview} queue=${queue} />`}
      </div>
      ${deleting && queue && html`<${Delete} queue=${queue} onClose=${() => setDeleting(false)} />`}
    <//>
  `;
}

/**
 * @typedef {{
 *   profileId: string, name: string, slots: Slot[], timezone: string, active: boolean, isDefault: boolean
 * }} Values
 */
/** @param {{form: import("../components/form.js").FormOf<Values>, queue: Queue | null}} props */
function Fields({ form, queue }) {
  const profile = profiles.value?.find((candidate) => candidate.id === form.values.profileId);
  const zones = [...new Set([form.values.timezone, ...Intl.supportedValuesOf("timeZone")])].filter(Boolean);
  return html`
    ${!queue && html`<${ProfileField} ...${form.field("profileId")} />`}
    <${Field} label=${t("Name")} maxlength="100" ...${form.field("name")} autofocus=${!queue} />
    <${Slots}
      slots=${form.values.slots}
      error=${errorAt(form.problem, "slots")}
      onInput=${(/** @type {Slot[]} */ slots) => form.change({ slots })}
    />
    <${Field}
      label=${t("Time zone")}
      options=${[
        ["", t("That of the client: {zone}", { zone: zoneLabel(profile?.timezone ?? "UTC") })],
        ...zones.map((name) => [name, name]),
      ]}
      ...${form.field("timezone")}
    />
    <${Check}
      label=${t("Gives out times")}
      hint=${t("Switched off, it rests: posts that have a time keep it.")}
      ...${form.check("active")}
    />
    ${!queue?.isDefault && html`
      <${Check}
        label=${t("The usual one of the client")}
        hint=${t("Taken when nobody chooses a queue.")}
        ...${form.check("isDefault")}
      />
    `}
  `;
}

/** @param {{slots: Slot[], error?: string, onInput: (slots: Slot[]) => void}} props */
function Slots({ slots, error, onInput }) {
  const replace = (/** @type {Slot} */ slot) =>
    onInput(slots.map((old) => (old.key === slot.key ? slot : old)));
  return html`
    <div class="field" role="group" aria-label=${t("Times of the week")}>
      <ul class="list">
        ${slots.map((slot) => html`
          <${SlotRow}
            key=${slot.key}
            slot=${slot}
            change=${replace}
            remove=${slots.length > 1 && (() => onInput(slots.filter((old) => old.key !== slot.key)))}
          />
        `)}
      </ul>
      ${error && html`<p class="error">${error}</p>`}
      ${slots.length < SLOTS_MAX && html`
        <${Button}
          icon="plus"
          onClick=${() =>
            onInput([...slots, { key: newKey(), time: "12:00", days: slots.at(-1)?.days ?? WORKDAYS }])
          }
        >
          ${t("Add a time")}
        <//>
      `}
    </div>
  `;
}

/** @param {{slot: Slot, change: (slot: Slot) => void, remove: false | (() => void)}} props */
function SlotRow({ slot, change, remove }) {
  const toggle = (/** @type {number} */ day) =>
    change({
      ...slot,
      days: slot.days.includes(day)
        ? slot.days.filter((other) => other !== day)
        : [...slot.days, day].sort(),
    });
  return html`
    <li>
      <${Field}
        label=${t("Time")}
        type="time"
        value=${slot.time}
        onInput=${(/** @type {string} */ time) => change({ ...slot, time })}
      />
      ${remove && html`
        <${Button}
          kind="quiet"
          icon="close"
          aria-label=${t("Leave out {time}", { time: slot.time })}
          onClick=${remove}
        />
      `}
      <div class="segmented week" role="group" aria-label=${t("Days of {time}", { time: slot.time })}>
        ${WEEK.map((day) => html`
          <${Button}
            key=${day}
            kind="quiet"
            title=${weekdayName(day, "long")}
            aria-pressed=${String(slot.days.includes(day))}
            onClick=${() => toggle(day)}
          >
            ${weekdayName(day)}
          <//>
        `)}
      </div>
    </li>
  `;
}

/** @param {{queue: Queue}} props */
function Preview({ queue }) {
  const loaded = useLoad(() => get(`/queues/${queue.id}/slots`, { count: 10 }), [queue.id, queue.version]);
  return html`
    <${Card} title=${t("What comes next")}>
      ${!queue.active && html`<p>${t("The queue rests: it gives out no times.")}</p>`}
      <${Loaded} loaded=${loaded}>
        ${(/** @type {typeof loaded.data} */ { slots, timezone }) => html`
          <ol class="list">
            ${slots.map((slot) => html`
              <li key=${slot.at}>
                <span class="grow">
                  <${Time} at=${slot.at} timeZone=${timezone} />
                </span>
                ${slot.postId ? html`
                  <a href=${to(`posts/${slot.postId}`)}>${t("Has a post")}</a>
                ` : html`
                  <span class="soft">${t("free")}</span>
                `}
              </li>
            `)}
          </ol>
          <p class="soft small">${zoneLabel(timezone)}</p>
        `}
      <//>
      <${LinkButton} href=${to("compose", { profileId: queue.profileId })} icon="compose">
        ${t("Write a post")}
      <//>
    <//>
  `;
}
