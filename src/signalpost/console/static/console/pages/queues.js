// Slot queues: weekly times at which posts of a client go out.
import { html } from "../html.js";
import { all } from "../api.js";
import { Badge } from "../components/badge.js";
import { LinkButton } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { lazy } from "../components/lazy.js";
import { List } from "../components/list.js";
import { Page } from "../components/page.js";
import { profileOptions } from "../components/profile-field.js";
import { useLoad } from "../hooks.js";
import { t } from "../i18n.js";
import { to } from "../router.js";
import { loadBasics, may } from "../store.js";
import { daysOf } from "../weekdays.js";

/** @typedef {import("signalpost/api").Schemas["SlotQueue"]} Queue */

const Editor = lazy(() => import("./queues-queue.js"));

/** @param {{id: string, query: Record<string, string>}} props */
export default function Queues({ id, query }) {
  return id ? html`
    <${Editor} id=${id} query=${query} />
  ` : html`
    <${Overview} profileId=${query.profileId ?? ""} />
  `;
}

/** @param {{profileId: string}} props */
function Overview({ profileId }) {
  const loaded = useLoad(async () => {
    await loadBasics();
    return all("/queues", { profileId });
  }, [profileId]);
  const add = may("profiles:write") && html`
    <${LinkButton} href=${to("queues/new", { profileId })} kind="primary" icon="plus">
      ${t("New queue")}
    <//>
  `;
  return html`
    <${Page}
      title=${t("Queues")}
      subtitle=${t("Weekly times at which posts go out. A post takes the next one that is free.")}
      actions=${add}
    >
      <${List}
        loaded=${loaded}
        label=${t("Queues")}
        columns=${[t("Slot queue"), t("Client"), t("Times"), t("State")]}
        empty=${
          html`<${Empty} title=${t("No queue yet")} icon="clock" action=${add}>
            ${t("Give a client its usual times once; then a post needs no time, only its turn.")}
          <//>`
        }
        row=${(/** @type {Queue} */ queue) => ({
          key: queue.id,
          href: to(`queues/${queue.id}`),
          cells: [
            html`<span dir="auto">${queue.name}</span>`,
            html`<span dir="auto">
              ${Object.fromEntries(profileOptions())[queue.profileId] ?? "–"}
            </span>`,
            html`<${Times} slots=${queue.slots} />`,
            html`<span>
              <${Badge} state=${queue.active ? "active" : "paused"} />
              ${queue.isDefault && html`<span class="soft">${t("the usual one")}</span>`}
            </span>`,
          ],
        })}
      />
    <//>
  `;
}

/** @param {{slots: Queue["slots"]}} props */
const Times = ({ slots }) => html`
  <ul class="plain">
    ${slots.slice(0, SHOWN_MAX).map((slot) => html`
      <li key=${slot.time}>
        <bdi>${slot.time}</bdi> <span class="soft">${daysOf(slot.days)}</span>
      </li>
    `)}
    ${slots.length > SHOWN_MAX && html`<li class="soft">…</li>`}
  </ul>
`;
const SHOWN_MAX = 4;
