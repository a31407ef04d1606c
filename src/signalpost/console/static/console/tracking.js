// Campaign parameters on links, as the service adds them when a post is published.

/** @typedef {import("signalpost/api").Schemas["UtmIn"]} Utm */

const NAMES = /** @type {const} */ (["source", "medium", "campaign", "term", "content"]);
const LINK = /https?:\/\/[^\s<>"]+(?<![.,;:!?'\]}*_~])/i;

/** The first address in what is written. @param {import("./draft.js").Draft} draft */
export function firstLink({ link, text, variants, thread, firstComment }) {
  const texts = [
    text,
    ...Object.values(variants),
    ...(thread ?? []).map((part) => part.text),
    firstComment,
  ];
  const first = texts.map((written) => LINK.exec(written)?.[0]).find(Boolean) ?? "";
  return link || (first.endsWith(")") && !first.includes("(") ? first.slice(0, -1) : first);
}

/** @param {string} value */
const quoted = (value) =>
  encodeURIComponent(value).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/**
 * The link with the parameters that it does not have yet.
 * @param {string} link @param {Utm} utm @param {string} platform the source, unless another one is set
 */
export function tracked(link, utm, platform) {
  const [, address, fragment] = /** @type {RegExpExecArray} */ (/^([^#]*)(.*)$/s.exec(link));
  const [, base, , query = ""] = /** @type {RegExpExecArray} */ (/^([^?]*)(\?(.*))?$/s.exec(address));
  const present = new Set(query.split("&").map((pair) => pair.split("=")[0].toLowerCase()));
  const added = NAMES.map((name) => [`utm_${name}`, name === "source" ? utm.source || platform : utm[name]])
    .filter(([name, value]) => value && !present.has(String(name)))
    .map(([name, value]) => `${name}=${quoted(String(value))}`);
  if (!added.length) return link;
  const path = base.split("://")[1]?.includes("/") ? base : `${base}/`;
  return `${path}?${[query.replace(/&+$/, ""), ...added].filter(Boolean).join("&")}${fragment}`;
}
