// Whose things the console shows, and the way to another client.
import { html, useEffect, useState } from "./html.js";
import { workspaceId } from "./api.js";
import { allClients, client } from "./client.js";
import { ClientMark } from "./components/avatar.js";
import { lazyDialog } from "./components/lazy.js";
import { t } from "./i18n.js";
import { Icon } from "./icons.js";
import { profiles } from "./store.js";

const Choice = lazyDialog(() => import("./client-dialog.js"));

/** Whether there is a choice. */
export const hasClients = () => (profiles.value?.length ?? 0) > 1;

/**
 * Until the clients are known, their place stays free where this browser saw several the last time: nothing
 * below it moves when they arrive.
 */
export function ClientSwitcher() {
  const [isOpen, setOpen] = useState(false);
  const key = `clients:${workspaceId.value}`;
  useEffect(() => {
    if (profiles.value) localStorage.setItem(key, hasClients() ? "several" : "one");
  }, [profiles.value]);
  if (!profiles.value && localStorage.getItem(key) === "several")
    return html`<span class="button client" aria-hidden="true"></span>`;
  if (!hasClients()) return null;
  const chosen = profiles.value?.find(({ id }) => id === client.value);
  return html`
    <button type="button" class="button client" aria-haspopup="dialog" onClick=${() => setOpen(true)}>
      ${chosen && html`<${ClientMark} client=${chosen} />`}
      <span class="hidden">${t("Client")}: </span>
      <span class="grow" dir="auto">
        ${chosen?.name ?? allClients()}
      </span>
      <${Icon} name="updown" />
    </button>
    ${isOpen && html`
      <section>
        <${Choice} onClose=${() => setOpen(false)} />
      </section>
    `}
  `;
}
