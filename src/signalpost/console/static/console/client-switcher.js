// Whose things the console shows, and the way to another client.
import { html, useState } from "./html.js";
import { client } from "./client.js";
import { Swatch } from "./components/avatar.js";
import { lazyDialog } from "./components/lazy.js";
import { t } from "./i18n.js";
import { Icon } from "./icons.js";
import { me, profiles } from "./store.js";

const Choice = lazyDialog(() => import("./client-dialog.js"));

/** What stands for no choice: who sees some clients only has no more than these. */
export const allClients = () => (me.value.profileIds === null ? t("All clients") : t("All my clients"));

/** Whether there is a choice. */
export const hasClients = () => (profiles.value?.length ?? 0) > 1;

export function ClientSwitcher() {
  const [isOpen, setOpen] = useState(false);
  if (!hasClients()) return null;
  const chosen = profiles.value?.find(({ id }) => id === client.value);
  return html`
    <button type="button" class="button client" aria-haspopup="dialog" onClick=${() => setOpen(true)}>
      ${chosen && html`<${Swatch} color=${chosen.color} />`}
      <span class="hidden">${t("Client")}: </span>
      <span class="grow" dir="auto">${chosen?.name ?? allClients()}</span>
      <${Icon} name="updown" />
    </button>
    ${isOpen && html`<${Choice} onClose=${() => setOpen(false)} />`}
  `;
}
