// How many posts wait for the decision of whoever is signed in: the number in the navigation.
import { signal, useEffect } from "./html.js";
import { get } from "./api.js";
import { answered } from "./under-way.js";
import { client } from "./client.js";
import { useLive } from "./live.js";
import { mayDecide } from "./rights.js";

export const waiting = signal(0);

/** Ways in which a post begins or ceases to wait. */
const CHANGES = new Set(["approval_requested", "approved", "rejected", "trashed", "restored", "updated"]);

/** Count again. A number that could not be read is shown as it was; the pages say what is wrong. */
export async function countWaiting() {
  if (!mayDecide()) return;
  const stats = await get("/posts/stats", { profileId: client.peek() }, { quiet: true }).catch(() => null);
  if (stats) waiting.value = stats.byApproval.pending;
}

/** Keep the number current while the frame is shown. */
export function useWaiting() {
  useEffect(() => {
    // The page comes first.
    void answered().then(countWaiting);
  }, [client.value]);
  useLive(countWaiting, { seconds: 60, active: mayDecide(), concerns: ({ type }) => CHANGES.has(type) });
  return waiting.value;
}
