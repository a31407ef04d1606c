// The console without a network: the page and its files, kept by the browser. No answer of the API goes
// through here, and nothing that is kept is about a person: the page and its files are the same for everyone.
// And what other apps share: pictures and videos, until the composer has them or another page is opened.
// Notifications come through here too: they are shown, and a click opens their page.
"use strict";
{
  const ROOT = location.pathname.slice(0, location.pathname.lastIndexOf("/"));
  const PAGE = `${ROOT}/console`;
  const FILE = new RegExp(`${ROOT.replace(/\W/g, "\\$&")}/assets/([\\w.-]+)/[\\w./-]+`, "g");
  const FILES_MAX = 1_000;
  const SHARE = `${ROOT}/console-share`;
  const SHARED_MAX = 35;
  const ICON = `${ROOT}/assets/icon-192.png`;

  // Another installation may have its console at the same host, below another path.
  const nameOf = (version) => `${self.registration.scope} ${version}`;
  const SHARED = `${self.registration.scope}#shared`;
  const isPage = (path) => path === PAGE || path.startsWith(`${PAGE}/`);

  /** The version that a file is of; undefined: it is not one of the console. */
  function versionOf(path) {
    const [first] = path.matchAll(FILE);
    return first?.[0] === path ? first[1] : undefined;
  }

  async function ownCaches() {
    return (await caches.keys()).filter((name) => name.startsWith(`${self.registration.scope} `));
  }

  /** The console is not served here any more, or without this worker: nothing of it stays. */
  async function end() {
    await self.registration.unregister();
    for (const name of [SHARED, ...(await ownCaches())]) await caches.delete(name);
  }

  /** Keep a page that the service answered, instead of those of other versions. */
  async function keepPage(response, path) {
    if (path === PAGE && [404, 410].includes(response.status)) return end();
    if (!response.ok) return;
    const text = await response.clone().text();
    const [first] = text.matchAll(FILE);
    if (!first || !text.includes(`"${location.pathname}"`)) return end();
    const own = nameOf(first[1]);
    await (await caches.open(own)).put(PAGE, response);
    for (const name of await ownCaches()) if (name !== own) await caches.delete(name);
  }

  /** The page as the service has it now; without a network, as it had it last. */
  async function page(event, path) {
    try {
      const response = await fetch(event.request);
      event.waitUntil(keepPage(response.clone(), path));
      return response;
    } catch (error) {
      for (const name of await ownCaches()) {
        const last = await caches.match(PAGE, { cacheName: name });
        if (last) return last;
      }
      throw error;
    }
  }

  const keptFile = (url, version) => caches.match(url, { cacheName: nameOf(version), ignoreVary: true });

  async function keepFile(url, version, response) {
    if (response.ok) await (await caches.open(nameOf(version))).put(url, response);
  }

  /** A file never changes under its address. */
  async function file(event, version) {
    const { url } = event.request;
    const own = await keptFile(url, version);
    if (own) return own;
    const response = await fetch(event.request);
    event.waitUntil(keepFile(url, version, response.clone()));
    return response;
  }

  /** Files that a page loaded before this worker was there; the browser has them at hand. */
  async function keepFiles(paths) {
    for (const path of paths.slice(0, FILES_MAX)) {
      const version = versionOf(path);
      if (version && !(await keptFile(path, version))) await keepFile(path, version, await fetch(path));
    }
  }

  /** Keep the files that another app shares, and have the composer begin with what it says. */
  async function receive(request) {
    const form = await request.formData();
    const files = form.getAll("files").filter((entry) => entry instanceof File && entry.size);
    const query = new URLSearchParams();
    for (const name of ["title", "text", "url"]) if (form.get(name)) query.set(name, form.get(name));
    if (files.length) query.set("shared", "1");
    await caches.delete(SHARED);
    const cache = await caches.open(SHARED);
    for (const [index, entry] of files.slice(0, SHARED_MAX).entries())
      await cache.put(`${SHARE}/${index}/${encodeURIComponent(entry.name)}`, new Response(entry));
    return Response.redirect(`${PAGE}/compose?${query}`, 303);
  }

  /** What the service sends; nothing, if it is not from a service of this version. */
  function read(data) {
    try {
      return data?.json() ?? {};
    } catch {
      return {};
    }
  }

  /** Browsers end subscriptions that show nothing, so something is shown whatever came. */
  function show(data) {
    const { title, text, path, tag, at } = read(data);
    return self.registration.showNotification(title ?? "Signalpost", {
      body: text,
      tag,
      renotify: Boolean(tag),
      timestamp: at,
      icon: ICON,
      data: { path },
    });
  }

  /** Open a page of this console, in a window of it if there is one. Anything else opens the first page. */
  async function open(path) {
    const named = new URL(`${ROOT}${path ?? ""}`, location.origin);
    const isOwn = named.origin === location.origin && isPage(named.pathname);
    const address = isOwn ? `${named.pathname}${named.search}` : PAGE;
    const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    const own = windows.find(({ url }) => isPage(new URL(url).pathname));
    if (!own) return self.clients.openWindow(address);
    own.postMessage({ open: address });
    return own.focus();
  }

  /** The push service has another address for this browser; the service knows who is signed in there. */
  async function renew(event) {
    const { options } = event.oldSubscription ?? {};
    const subscription =
      event.newSubscription ?? (options && (await self.registration.pushManager.subscribe(options)));
    if (!subscription) return;
    const { endpoint, keys } = subscription.toJSON();
    const answer = await fetch(`${ROOT}/api/v1/auth/push`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Console": "1" },
      body: JSON.stringify({ endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } }),
    });
    if (!answer.ok) await subscription.unsubscribe();
  }

  self.addEventListener("push", (event) => event.waitUntil(show(event.data)));
  self.addEventListener("notificationclick", (event) => {
    event.notification.close();
    event.waitUntil(open(event.notification.data?.path));
  });
  self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event)));
  self.addEventListener("install", (event) => {
    // Files are of their version, whichever worker keeps them: this one need not wait for the last one.
    event.waitUntil(fetch(PAGE).then((response) => keepPage(response, PAGE)));
    self.skipWaiting();
  });
  self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
  self.addEventListener("message", (event) => event.waitUntil(keepFiles(event.data.files)));
  self.addEventListener("fetch", (event) => {
    const { request } = event;
    const { origin, pathname, searchParams } = new URL(request.url);
    if (origin !== location.origin) return;
    if (request.method === "POST" && pathname === SHARE) event.respondWith(receive(request));
    if (request.method !== "GET") return;
    if (request.mode === "navigate" && !searchParams.has("shared")) event.waitUntil(caches.delete(SHARED));
    const version = versionOf(pathname);
    if (request.mode === "navigate" && isPage(pathname)) event.respondWith(page(event, pathname));
    else if (version) event.respondWith(file(event, version));
  });
}
