// The console without a network: what keeps it, and what it says when it is opened then.
import { html, render } from "./html.js";
import { ROOT, pause } from "./api.js";
import { t } from "./i18n.js";
import { goTo } from "./router.js";
import { Button } from "./components/button.js";

/** @typedef {{createScriptURL: (url: string) => string}} Policy */
/** @typedef {{createPolicy: (name: string, policy: Policy) => Policy}} PolicyFactory */

/**
 * Have the browser keep the page and its files. Where it cannot, as in a private window of some or without
 * https, the console works as before.
 */
export async function keepConsole() {
  const { worker } = document.getElementById("app")?.dataset ?? {};
  if (!worker || !("serviceWorker" in navigator)) return;
  await navigator.serviceWorker.register(trusted(worker), {
    scope: `${ROOT}/console`,
    updateViaCache: "none",
  });
  navigator.serviceWorker.addEventListener("message", ({ data }) => data?.open && goTo(data.open));
  const { active } = await navigator.serviceWorker.ready;
  // What was loaded, or is on its way, before the worker was there has not come through it.
  new PerformanceObserver((list) => active?.postMessage({ files: filesOf(list) })).observe({
    type: "resource",
    buffered: true,
  });
}

/** The paths of files among what the page has loaded. @param {PerformanceObserverEntryList} list */
function filesOf(list) {
  const urls = list.getEntries().map(({ name }) => new URL(name));
  return urls.flatMap(({ origin, pathname }) =>
    origin === location.origin && pathname.includes("/assets/") ? [pathname] : [],
  );
}

/**
 * The address as the content security policy wants it: no other script can become the worker.
 * @param {string} worker
 */
function trusted(worker) {
  const types = /** @type {{trustedTypes?: PolicyFactory}} */ (/** @type {unknown} */ (globalThis))
    .trustedTypes;
  const policy = types?.createPolicy("worker", { createScriptURL: () => worker });
  return policy?.createScriptURL(worker) ?? worker;
}

/**
 * Say that there is no connection until there is one. Returns whether the service was away.
 * @param {HTMLElement} container
 */
export async function waitForService(container) {
  for (let attempt = 0; ; attempt += 1) {
    if (await isThere()) return attempt > 0;
    if (attempt === 0) render(html`<${NoConnection} />`, container);
    await pause(attempt);
  }
}

/** Whether something answers that is not a proxy in front of nothing. */
async function isThere() {
  try {
    return (await fetch(import.meta.url, { method: "HEAD", cache: "no-store" })).status < 500;
  } catch {
    return false; // no answer at all
  }
}

function NoConnection() {
  return html`
    <main class="page">
      <h1>${t("No connection")}</h1>
      <p>
        ${t(
          "The console goes on by itself when the network is back. What you wrote is kept in this browser and is saved then.",
        )}
      </p>
      <${Button} icon="retry" onClick=${() => location.reload()}>
        ${t("Try again")}
      <//>
    </main>
  `;
}
