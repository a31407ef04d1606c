// Notifications on this device: the browser subscribes at its push service, and the service knows it.
import { ROOT, post } from "./api.js";

const UNSUBSCRIBE_MS = 2_000;

/** The worker of this console; undefined: there is none, as in a private window. */
async function registration() {
  return "serviceWorker" in navigator
    ? navigator.serviceWorker.getRegistration(`${ROOT}/console`)
    : undefined;
}

/**
 * What this browser can do: `install` where it has notifications for apps on the Home Screen only.
 * @returns {Promise<"able" | "denied" | "install" | "unable">}
 */
export async function ability() {
  const own = await registration();
  if (own && "pushManager" in own && "Notification" in globalThis)
    return Notification.permission === "denied" ? "denied" : "able";
  return "standalone" in navigator && !navigator.standalone ? "install" : "unable";
}

/** Whether the browser has a subscription with the key of the service. @param {string} publicKey */
export async function isSubscribed(publicKey) {
  const subscription = await (await registration())?.pushManager?.getSubscription();
  return Boolean(subscription && Notification.permission === "granted" && isOf(subscription, publicKey));
}

/**
 * Ask the person, subscribe and let the service know; false: they refused. Call it at their click, else some
 * browsers do not ask.
 * @param {string} publicKey
 */
export async function turnOn(publicKey) {
  if ((await Notification.requestPermission()) !== "granted") return false;
  const manager = /** @type {ServiceWorkerRegistration} */ (await registration()).pushManager;
  const former = await manager.getSubscription();
  if (former && !isOf(former, publicKey)) await former.unsubscribe();
  const subscription = await manager.subscribe({
    userVisibleOnly: true, // Safari and Chrome have no others
    applicationServerKey: bytesOf(publicKey),
  });
  const { endpoint, keys } = subscription.toJSON();
  const { p256dh = "", auth = "" } = keys ?? {};
  await post("/auth/push", { endpoint: endpoint ?? "", keys: { p256dh, auth } });
  return true;
}

/**
 * End the subscription of this browser, and what is on the screen of it: who signs in next sees nothing of
 * it. The service forgets it with the session, also where the push service does not answer.
 */
export async function turnOff() {
  const own = await registration();
  if (!own) return;
  for (const notification of (await own.getNotifications?.()) ?? []) notification.close();
  const subscription = await own.pushManager?.getSubscription();
  const limit = new Promise((resolve) => setTimeout(resolve, UNSUBSCRIBE_MS));
  await Promise.race([subscription?.unsubscribe().catch(() => false), limit]);
}

/** @param {PushSubscription} subscription @param {string} publicKey */
function isOf({ options: { applicationServerKey } }, publicKey) {
  return (
    !applicationServerKey || String(new Uint8Array(applicationServerKey)) === String(bytesOf(publicKey))
  );
}

/** @param {string} text base64 for addresses */
const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
    character.charCodeAt(0),
  );
