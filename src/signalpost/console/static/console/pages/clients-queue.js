// Which queue of a client posts take their times from, unless they name another one.
import { html, useState } from "../html.js";
import { all, patch } from "../api.js";
import { Field } from "../components/field.js";
import { useLoad } from "../hooks.js";
import { t } from "../i18n.js";
import { to } from "../router.js";

/** @typedef {import("signalpost/api").Schemas["SlotQueue"]} Queue */
/**
 * @typedef {{
 *   queues: Queue[], chosen: string, choose: (id: string) => void, clientId: string | undefined,
 *   save: () => Promise<void>
 * }} Choice
 */

/** @param {string | undefined} clientId undefined: the client is new, and has none @returns {Choice} */
export function useQueueChoice(clientId) {
  const loaded = useLoad(async () => (clientId ? all("/queues", { profileId: clientId }) : []), [clientId]);
  const [own, choose] = useState("");
  const queues = /** @type {Queue[]} */ (loaded.data ?? []);
  const usual = queues.find(({ isDefault }) => isDefault)?.id ?? "";
  const save = async () => {
    if (own && own !== usual) await patch(`/queues/${own}`, { isDefault: true });
  };
  return { queues, chosen: own || usual, choose, clientId, save };
}

/** @param {{choice: Choice}} props */
export function QueueField({ choice: { queues, chosen, choose, clientId } }) {
  if (!clientId) return null;
  const link = html`<a href=${to("queues", { profileId: clientId })}>${t("Queues of the client")}</a>`;
  return queues.length ? html`
    <${Field}
      label=${t("Usual queue")}
      hint=${
        html`
          ${t("Posts take their turn in it, unless another one is chosen for them.")} ${link}
        `
      }
      options=${queues.map(({ id, name }) => [id, name])}
      value=${chosen}
      onInput=${choose}
    />
  ` : html`
    <div class="field">
      <span class="legend">${t("Usual queue")}</span>
      <p class="hint">
        ${t("The client has no queue yet.")} ${link}
      </p>
    </div>
  `;
}
