// Who is subscribed to the service status; staff end subscriptions that nobody reads, or that nobody should
// have.
import { html, useState } from "../html.js";
import { get, remove } from "../api.js";
import { Icon } from "../icons.js";
import { number, t } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { Time } from "../time.js";
import { Badge } from "../components/badge.js";
import { Button } from "../components/button.js";
import { ConfirmDialog } from "../components/confirm-dialog.js";
import { Card } from "../components/page.js";
import { toast } from "../components/toasts.js";
import { List } from "./admin-list.js";

/** @typedef {import("signalpost/api").Schemas["Component"]} Component */

const PATH = "/status/admin/subscribers";
const QUERY = { limit: 50 };

/** @param {{components: Component[]}} props */
export function Subscribers({ components }) {
  const loaded = useLoad(() => get(PATH, QUERY), []);
  const [ending, setEnding] = useState(/** @type {Subscriber | null} */ (null));
  const close = () => setEnding(null);
  const names = (/** @type {string[] | null} */ chosen) =>
    chosen?.map((id) => components.find((component) => component.id === id)?.name ?? id).join(", ") ??
    t("all");
  return html`
    <${Card} title=${t("Subscribers")}>
      <p class="soft">
        ${t("They hear of incidents and maintenance. What is not confirmed gets nothing.")}
      </p>
      ${loaded.data && !loaded.data.data.length ? html`
        <p>${t("Nobody is subscribed.")}</p>
      ` : html`
        <${List}
          loaded=${loaded}
          path=${PATH}
          query=${QUERY}
          label=${t("Subscribers")}
          columns=${[
            t("Address"),
            t("Kind"),
            t("Components"),
            t("State"),
            t("Failed in a row"),
            t("Since"),
            "",
          ]}
          numbers=${[4]}
          empty=""
          row=${(/** @type {Subscriber} */ subscriber) => ({
            key: subscriber.id,
            cells: [
              html`<span>
                <strong>${subscriber.address}</strong>
                <br />
                <code class="soft small">${subscriber.id}</code>
              </span>`,
              subscriber.channel === "email" ? t("E-mail") : t("Webhook"),
              names(subscriber.componentIds),
              html`<${State} of=${subscriber} />`,
              number(subscriber.failures),
              html`<${Time} at=${subscriber.createdAt} kind="relative" />`,
              html`<${Button}
                kind="danger"
                aria-label=${t("End the subscription of {name}", { name: subscriber.address })}
                onClick=${() => setEnding(subscriber)}
              >
                ${t("End")}
              <//>`,
            ],
          })}
        />
      `}
    <//>
    ${ending && html`<${End} subscriber=${ending} onClose=${close} onDone=${loaded.reload} />`}
  `;
}

/** @param {{of: Subscriber}} props */
function State({ of }) {
  const state =
    of.status === "active" ? html`
      <${Badge} state="active" />
    ` : html`
      <span class="badge warn">
        <${Icon} name="clock" />
        ${t("Not confirmed")}
      </span>
    `;
  return html`
    <span>
      ${state}
      ${of.lastHeardAt && html`
        <br />
        <span class="soft small">
          ${t("last heard")} <${Time} at=${of.lastHeardAt} kind="relative" />
        </span>
      `}
    </span>
  `;
}

/** @typedef {import("signalpost/api").Schemas["Subscriber"]} Subscriber */

/** @param {{subscriber: Subscriber, onClose: () => void, onDone: () => Promise<void>}} props */
function End({ subscriber, onClose, onDone }) {
  const act = async () => {
    await remove(`${PATH}/${subscriber.id}`);
    toast(t("Nothing more is sent there."));
    onClose();
    await onDone();
  };
  return html`
    <${ConfirmDialog}
      title=${t("End this subscription?")}
      confirm=${t("End it")}
      act=${act}
      onClose=${onClose}
    >
      <p>
        <strong>${subscriber.address}</strong>
      </p>
      <p>
        ${t(
          "Nothing more is sent there, and nobody there hears of it. This cannot be undone; they can subscribe again.",
        )}
      </p>
    <//>
  `;
}
