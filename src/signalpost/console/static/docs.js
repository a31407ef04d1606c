// Adds to the documentation what needs a script: copying, one language for all samples, trying, and search
// while typing.
"use strict";

/** @param {string} tag @param {object} [properties] @param {...(Node|string)} children */
function element(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

// Copying

for (const block of document.querySelectorAll("pre")) {
  const button = element("button", { type: "button", className: "copy", textContent: "Copy" });
  button.addEventListener("click", async () => {
    const text = block.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(block); // no clipboard without https: the reader copies by hand
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  const frame = element("div", { className: "copyable" });
  block.replaceWith(frame);
  frame.append(block, button);
}

// One language for all samples, remembered

function choose(language) {
  for (const input of document.querySelectorAll(".samples input")) input.checked = input.value === language;
}
const remembered = localStorage.getItem("language");
if (document.querySelector(`.samples input[value="${CSS.escape(remembered ?? "")}"]`)) choose(remembered);
document.addEventListener("change", ({ target }) => {
  if (target.matches(".samples input")) {
    localStorage.setItem("language", target.value);
    const top = target.getBoundingClientRect().top;
    choose(target.value);
    scrollBy(0, target.getBoundingClientRect().top - top); // other samples got longer or shorter
  }
});

// Trying with a test key

function field(form, label, name, properties = {}, tag = "input") {
  const input = element(tag, { name, autocomplete: "off", spellcheck: false, ...properties });
  form.append(element("label", {}, label, input));
  return input;
}

function tryIt(place) {
  const { method, path, server, body, pathParameters, queryParameters } = place.dataset;
  const form = element("form", { className: "try-form" });
  const key = field(form, "Test key", "key", {
    value: sessionStorage.getItem("key") ?? "",
    placeholder: "sp_test_…",
  });
  const names = (list) => list.split(" ").filter(Boolean);
  const inPath = names(pathParameters).map((name) => field(form, name, name, { required: true }));
  const inQuery = names(queryParameters).map((name) => field(form, name, name));
  const json =
    body === undefined ? null : field(form, "Body", "body", { value: body, rows: 8 }, "textarea");
  const output = element("pre", { tabIndex: 0, hidden: true });
  const status = element("p", { role: "status" });
  form.append(element("button", { type: "submit", textContent: `Send ${method}` }), status, output);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (key.value && !key.value.startsWith("sp_test_")) {
      status.textContent = "This page sends test keys only: they reach the sandbox and nothing else.";
      return;
    }
    sessionStorage.setItem("key", key.value);
    let address = server + path;
    for (const input of inPath)
      address = address.replace(`{${input.name}}`, encodeURIComponent(input.value));
    const query = new URLSearchParams(
      inQuery.filter((input) => input.value).map((input) => [input.name, input.value]),
    );
    if (query.size) address += `?${query}`;
    const headers = key.value ? { Authorization: `Bearer ${key.value}` } : {};
    if (json) headers["Content-Type"] = "application/json";
    status.textContent = "Sending…";
    try {
      const began = performance.now();
      const response = await fetch(address, { method, headers, body: json?.value, credentials: "omit" });
      const text = await response.text();
      const ms = Math.round(performance.now() - began);
      status.textContent = `${response.status} ${response.statusText} after ${ms} ms`;
      try {
        output.textContent = JSON.stringify(JSON.parse(text), null, 2);
      } catch {
        output.textContent = text;
      }
      output.hidden = !text;
    } catch (error) {
      status.textContent = `No response: ${error.message}`;
    }
  });
  return form;
}

for (const place of document.querySelectorAll(".try")) {
  const details = element("details", {}, element("summary", { textContent: "Try it" }));
  details.addEventListener("toggle", () => details.children.length > 1 || details.append(tryIt(place)), {
    once: true,
  });
  place.append(details);
}

// Search while typing

// Pages without a service behind them bring their own way to find: docs-site.js.
const find =
  globalThis.findInDocs ??
  (async (text) => {
    const response = await fetch(`${search.form.action}?q=${encodeURIComponent(text)}`);
    if (!response.ok) return null;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    return [...page.querySelector("#results").children];
  });
const search = document.querySelector("#q");
const results = element("div", { className: "found", hidden: true });
search.form.append(results);
let latest = 0;
search.addEventListener("input", async () => {
  const number = ++latest;
  await new Promise((resolve) => setTimeout(resolve, 120));
  if (number !== latest) return;
  if (!search.value.trim()) {
    results.hidden = true;
    return;
  }
  const answers = await find(search.value);
  if (!answers || number !== latest) return;
  results.style.top = `${search.getBoundingClientRect().bottom + 6}px`;
  results.replaceChildren(...answers);
  results.hidden = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") results.hidden = true;
  const typing = event.target.matches("input, textarea, select");
  if ((event.key === "/" && !typing) || (event.key === "k" && (event.metaKey || event.ctrlKey))) {
    event.preventDefault();
    search.focus();
    search.select();
  }
});
