// The next free slot of a queue, for a post that takes it.
import { html } from "../html.js";
import { get } from "../api.js";
import { t } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { Time, zoneLabel } from "../time.js";
import { Field } from "../components/field.js";

/** @typedef {import("../draft.js").Change} Change */
/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("signalpost/api").Rows<"/queues">[0]} Queue */

/** @param {{draft: Draft, change: Change, queues: Queue[]}} props */
export default function NextSlot({ draft, change, queues }) {
  const queueId = draft.queueId || queues.find((queue) => queue.isDefault)?.id || queues[0]?.id || "";
  const slots = useLoad(
    async () => (queueId ? get(`/queues/${queueId}/slots`, { count: 1 }) : null),
    [queueId],
  );
  return html`
    <div class="row">
      ${queues.length > 1 && html`
        <${Field}
          label=${t("Slot queue")}
          options=${queues.map((queue) => [queue.id, queue.name])}
          value=${queueId}
          onInput=${(/** @type {string} */ value) => change({ queueId: value })}
        />
      `}
      <p>
        ${slots.data?.nextFreeAt ? html`
          ${t("Next free slot:")}${" "}
          <strong>
            <${Time} at=${slots.data.nextFreeAt} timeZone=${slots.data.timezone} />
          </strong>${" "}
          <span class="soft">${zoneLabel(slots.data.timezone, new Date(slots.data.nextFreeAt))}</span>
        ` : (
          t("No slot is free.")
        )}
      </p>
    </div>
  `;
}
