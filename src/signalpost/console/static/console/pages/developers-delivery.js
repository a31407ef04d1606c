// One delivery of a webhook: each attempt, what was sent and answered.
import { html } from "../html.js";
import { get, post } from "../api.js";
import { t } from "../i18n.js";
import { useAction, useLoad } from "../hooks.js";
import { useLive } from "../live.js";
import { may } from "../store.js";
import { Time } from "../time.js";
import { Badge } from "../components/badge.js";
import { Button } from "../components/button.js";
import { Copy } from "../components/copy.js";
import { Dialog } from "../components/dialog.js";
import { Loaded } from "../components/loaded.js";
import { Table } from "../components/table.js";
import { toast } from "../components/toasts.js";

/** @typedef {import("signalpost/api").Schemas["DeliveryAttempt"]} DeliveryAttempt */

/** @param {{hookId: string, id: string, onClose: () => void}} props */
export function Delivery({ hookId, id, onClose }) {
  const loaded = useLoad(() => get(`/webhooks/${hookId}/deliveries/${id}`), [id]);
  const [busy, resend] = useAction(async () => {
    await post(`/webhooks/${hookId}/deliveries/${id}/resend`, {});
    toast(t("It is sent again."));
    await loaded.reload();
  });
  const data = loaded.data;
  useLive(loaded.reload, { seconds: 1, active: Boolean(data?.resendAt) || data?.state === "pending" });
  return html`
    <${Dialog}
      wide
      title=${data?.type ?? t("Delivery")}
      onClose=${onClose}
      actions=${
        html`
          ${data && html`<${Copy} text=${data.body} label=${t("Copy the body")} />`}
          ${may("webhooks:write") && html`
            <${Button} icon="retry" busy=${busy} onClick=${resend}>
              ${t("Send again")}
            <//>
          `}
          <${Button} kind="primary" onClick=${onClose}>
            ${t("Done")}
          <//>
        `
      }
    >
      <${Loaded} loaded=${loaded}>
        ${() => html`
          <dl class="facts">
            <dt>${t("State")}</dt>
            <dd>
              <${Badge} state=${data.state} />
            </dd>
            <dt>${t("Event")}</dt>
            <dd>
              <code>${data.eventId}</code>
            </dd>
            ${data.nextAttemptAt && html`
              <dt>${t("Next attempt")}</dt>
              <dd>
                <${Time} at=${data.nextAttemptAt} kind="relative" />
              </dd>
              `}
          </dl>
          <h3>${t("Attempts")}</h3>
          <${Table}
            label=${t("Attempts")}
            columns=${[t("Time"), t("Answer"), t("Duration")]}
            rows=${data.attemptLog.map((attempt, /** @type {number} */ index) => ({
              key: String(index),
              cells: [
                html`<${Time} at=${attempt.at} />`,
                html`
                  ${attempt.status ?? attempt.error ?? "–"}
                  <${Attempt} attempt=${attempt} />
                  `,
                `${attempt.durationMs} ms`,
              ],
            }))}
          />
          <h3>${t("Body")}</h3>
          <pre tabindex="0">${pretty(data.body)}</pre>
        `}
      <//>
    <//>
  `;
}

/** What was sent and answered, without the body. @param {{attempt: DeliveryAttempt}} props */
function Attempt({ attempt }) {
  if (!attempt.request && !attempt.response) return null;
  const { request } = attempt;
  const head =
    request &&
    [
      `POST ${request.url}`,
      ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
    ].join("\n");
  return html`
    <details>
      <summary>${t("Request and answer")}</summary>
      ${head && html`<pre tabindex="0">${head}</pre>`}
      ${attempt.response && html`<pre tabindex="0">${attempt.response}</pre>`}
    </details>
  `;
}

/** @param {string} body */
function pretty(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
