// The time zone of a new workspace: nobody was asked for it, and the browser of whoever opens it knows.
import { all, patch } from "./api.js";
import { me, reloadMe } from "./store.js";

/** Take the zone of this browser, for the workspace and for the clients that it began with. */
export async function takeZone() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  for (const { id, timezone } of await all("/profiles", { archived: false }))
    if (timezone === "UTC") await patch(`/profiles/${id}`, { timezone: timeZone });
  // Last: while it is not done, it is tried again.
  await patch(`/workspaces/${me.peek().workspace.id}`, { timezone: timeZone });
  await reloadMe();
}
