// What pages without a service behind them need a script for: the search, and the list of versions.
"use strict";
{
  const { root, file, version } = document.body.dataset;
  const RESULTS_MAX = 20;
  const QUERY_CHARACTERS_MAX = 100;
  const loading = new Map();

  // Data are scripts, not JSON, since a page in a folder may not fetch files.
  /** Run a script of this site, once. */
  function load(name) {
    if (!loading.has(name)) {
      const script = document.createElement("script");
      script.src = root + name;
      const arrival = new Promise((resolve, reject) => {
        script.onload = resolve;
        script.onerror = () => reject(new Error(`${name} did not load`));
      });
      loading.set(name, arrival);
      document.head.append(script);
    }
    return loading.get(name);
  }

  function element(tag, properties, ...children) {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children);
    return node;
  }

  // The search: the same score as that of the service, over an index that is loaded when a reader types

  /** Return what finds a word that begins with a term. */
  function beginning(term) {
    const escaped = term.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    const isWord = /^[\p{L}\p{N}_]/u.test(term);
    return new RegExp(`${isWord ? "(?<![\\p{L}\\p{N}_])" : "(?<=[\\p{L}\\p{N}_])"}${escaped}`, "u");
  }

  function score({ title, words }, terms) {
    let points = 0;
    for (const { term, begins } of terms) {
      if (title.toLowerCase().includes(term)) points += begins.test(title.toLowerCase()) ? 30 : 20;
      else if (words.includes(term)) points += begins.test(words) ? 5 : 1;
      else return 0;
    }
    return points;
  }

  function asItem({ title, kind, address, summary }) {
    const link = element("a", { href: root + address, textContent: title });
    const item = element("li", {}, link, " ", element("span", { className: "soft", textContent: kind }));
    if (summary) item.append(element("p", { textContent: summary }));
    return item;
  }

  globalThis.findInDocs = async (text) => {
    const words = text.slice(0, QUERY_CHARACTERS_MAX).toLowerCase().split(/\s+/).filter(Boolean);
    const terms = words.map((term) => ({ term, begins: beginning(term) }));
    if (!terms.length) return [];
    await load("assets/search-index.js");
    const matches = globalThis.docsIndex
      .map((entry) => [score(entry, terms), entry])
      .filter(([points]) => points)
      .sort(([left], [right]) => right - left)
      .slice(0, RESULTS_MAX);
    if (matches.length) {
      return [element("ol", { className: "results" }, ...matches.map(([, entry]) => asItem(entry)))];
    }
    return [element("p", { textContent: `Nothing contains all of these words: ${text}` })];
  };

  async function answer() {
    const query = new URLSearchParams(location.search).get("q") ?? "";
    document.querySelector("#q").value = query;
    document.querySelector("#without-script")?.remove();
    const answers = await globalThis.findInDocs(query);
    if (answers.length) document.querySelector("#results").replaceChildren(...answers);
  }
  if (file === "search.html") answer();

  // The versions: this page in each of them, or the first one where it does not exist

  const versions = document.querySelector(".versions");
  const list = versions.querySelector("ul");
  async function showVersions() {
    await load("../versions.js");
    const entries = globalThis.docsVersions.map(({ folder, label, pages }) => {
      const link = element("a", {
        href: `${root}../${folder}/${pages.includes(file) ? file : "index.html"}`,
        textContent: label,
      });
      if (folder === version) link.setAttribute("aria-current", "true");
      return element("li", {}, link);
    });
    list.replaceChildren(...entries);
  }
  versions.addEventListener("toggle", showVersions, { once: true });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && versions.open) {
      versions.open = false;
      versions.querySelector("summary").focus();
    }
  });
}
