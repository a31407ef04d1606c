// One webhook: what was sent to it, and what can be done with it.
import { html, useState } from "../html.js";
import { get, patch, post, remove } from "../api.js";
import { t } from "../i18n.js";
import { useAction, useLoad } from "../hooks.js";
import { useLive } from "../live.js";
import { filter, go } from "../router.js";
import { may } from "../store.js";
import { Time } from "../time.js";
import { Badge } from "../components/badge.js";
import { Button } from "../components/button.js";
import { ConfirmDialog } from "../components/confirm-dialog.js";
import { List } from "../components/list.js";
import { Loaded } from "../components/loaded.js";
import { Card, Page } from "../components/page.js";
import { toast } from "../components/toasts.js";
import { Delivery } from "./developers-delivery.js";
import { Notices, ReplayDialog, RotateDialog, WebhookSecret } from "./developers-recovery.js";

/** @typedef {import("../html.js").InputEvent} InputEvent */

/** @typedef {import("signalpost/api").Schemas["Webhook"]} Webhook */
/** @typedef {import("signalpost/api").Schemas["DeliveryList"]} DeliveryList */

/** @param {{id: string, query: Record<string, string>}} props */
export default function WebhookPage({ id, query }) {
  const { state = "", delivery = "" } = query;
  const hook = useLoad(() => get(`/webhooks/${id}`), [id]);
  const deliveries = useLoad(() => get(`/webhooks/${id}/deliveries`, { state, limit: 50 }), [id, state]);
  const [dialog, setDialog] = useState("");
  // One after the other: what is read after a replay has ended shows all of it.
  const reload = async () => {
    await hook.reload();
    await deliveries.reload();
  };
  const [pausing, pause] = useAction(async () => {
    const resumes = hook.data.status !== "active";
    hook.setData(await patch(`/webhooks/${id}`, { active: resumes }));
    if (resumes && (await get(`/webhooks/${id}/deliveries`, { state: "skipped", limit: 1 })).data.length)
      setDialog("missed");
  });
  const closeDelivery = () => {
    filter({ delivery: "" });
    void reload();
  };
  const data = hook.data;
  const isReplaying = data?.replay?.status === "running";
  const isWaiting = deliveries.data?.data.some((entry) => entry.state === "pending") ?? false;
  useLive(reload, { seconds: 2, active: isReplaying || isWaiting });
  return html`
    <${Loaded} loaded=${hook}>
      ${() => html`
        <${Page}
          title=${data.name ?? data.url}
          subtitle=${
            html`
              <${Badge} state=${data.status} /> ${data.url}
            `
          }
          actions=${
            may("webhooks:write") && html`
              <${Actions}
                hook=${data}
                pausing=${pausing}
                pause=${pause}
                open=${setDialog}
                reload=${reload}
              />
            `
          }
        >
          <${Notices}
            hook=${data}
            busy=${pausing}
            onResume=${pause}
            onChange=${hook.setData}
            onDone=${() => void deliveries.reload()}
          />
          <${Deliveries} loaded=${deliveries} state=${state} />
          ${delivery && html`<${Delivery} hookId=${id} id=${delivery} onClose=${closeDelivery} />`}
          <${Dialogs}
            id=${id}
            name=${dialog}
            onClose=${() => {
              setDialog("");
              void reload();
            }}
          />
        <//>
      `}
    <//>
  `;
}

/**
 * @param {{
 *   hook: Webhook, pausing: boolean, pause: () => void, open: (dialog: string) => void,
 *   reload: () => Promise<void>
 * }} props
 */
function Actions({ hook, pausing, pause, open, reload }) {
  const [testing, test] = useAction(async () => {
    await post(`/webhooks/${hook.id}/test`, {});
    await reload();
    toast(t("A test event is on its way."));
  });
  return html`
    <${Button} kind="primary" icon="send" busy=${testing} onClick=${test}>
      ${t("Send a test event")}
    <//>
    <${Button} busy=${pausing} icon="pause" onClick=${pause}>
      ${hook.status === "active" ? t("Pause") : t("Resume")}
    <//>
    ${hook.status === "active" && html`
      <${Button} icon="retry" onClick=${() => open("replay")}>
        ${t("Replay")}
      <//>
    `}
    <${Button} onClick=${() => open("rotate")}>${t("New secret")}<//>
    <${Button} kind="danger" icon="trash" onClick=${() => open("delete")}>
      ${t("Delete")}
    <//>
  `;
}

/** @param {{id: string, name: string, onClose: () => void}} props `name`: of the dialog that is open */
function Dialogs({ id, name, onClose }) {
  const [secret, setSecret] = useState("");
  if (secret) return html`<${WebhookSecret} secret=${secret} onClose=${() => setSecret("")} />`;
  if (name === "missed" || name === "replay")
    return html`<${ReplayDialog} id=${id} missed=${name === "missed"} onClose=${onClose} />`;
  if (name === "rotate") return html`<${RotateDialog} id=${id} onClose=${onClose} onSecret=${setSecret} />`;
  return name === "delete" && html`<${DeleteWebhook} id=${id} onClose=${onClose} />`;
}

/**
 * @param {{
 *   loaded: {data: DeliveryList, problem: unknown, reload: () => void}, state: string
 * }} props `state`: which are shown; empty: all
 */
function Deliveries({ loaded, state }) {
  const states = [
    ["", t("All states")],
    ["pending", t("Waiting")],
    ["delivered", t("Delivered")],
    ["failed", t("Failed")],
    ["permanently_failed", t("Given up")],
    ["skipped", t("Skipped")],
  ];
  return html`
    <${Card}
      title=${t("Deliveries")}
      actions=${
        html`<select
          aria-label=${t("State")}
          onChange=${(/** @type {InputEvent} */ event) => filter({ state: event.currentTarget.value })}
        >
          ${states.map(([key, name]) => html`
            <option value=${key} selected=${key === state}>
              ${name}
            </option>
          `)}
        </select>`
      }
    >
      <${List}
        loaded=${loaded}
        label=${t("Deliveries")}
        columns=${[t("Event"), t("State"), t("Answer"), t("Attempts"), t("Time"), ""]}
        empty=${
          html`<p class="soft">${t("Nothing was sent yet. Send a test event to try your server.")}</p>`
        }
        row=${(/** @type {DeliveryList["data"][0]} */ entry) => ({
          key: entry.id,
          cells: [
            html`<code>${entry.type}</code>`,
            html`<${Badge} state=${entry.state} />`,
            entry.lastStatus ?? entry.lastError ?? "–",
            entry.attempts,
            html`<${Time} at=${entry.createdAt} />`,
            html`<${Button}
              aria-label=${t("Look at {event}", { event: entry.type })}
              onClick=${() => filter({ delivery: entry.id })}
            >
              ${t("Look")}
            <//>`,
          ],
        })}
      />
    <//>
  `;
}

/** @param {{id: string, onClose: () => void}} props */
function DeleteWebhook({ id, onClose }) {
  const act = async () => {
    await remove(`/webhooks/${id}`);
    go("developers/webhooks");
  };
  return html`
    <${ConfirmDialog}
      title=${t("Delete this webhook?")}
      confirm=${t("Delete")}
      act=${act}
      onClose=${onClose}
    >
      <p>${t("Nothing more is sent to it, and its deliveries are forgotten.")}</p>
    <//>
  `;
}
