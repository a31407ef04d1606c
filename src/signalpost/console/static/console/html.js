// The template function of all modules, and what they need of the libraries.
import { h } from "./vendor/preact.js";
import htm from "./vendor/htm.js";

export { Component, Fragment, createContext, render } from "./vendor/preact.js";
export { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor/hooks.js";
export { batch, computed, effect, signal } from "./vendor/signals.js";

/** @typedef {import("preact").ComponentChildren} Children */
/** @typedef {Event & {currentTarget: HTMLInputElement}} InputEvent of a field, whatever its kind */

/**
 * A link leads to a page, whoever wrote its address: one with another scheme, such as `javascript:`, leads
 * nowhere.
 * @param {any} type @param {any} props @param {any[]} children
 */
function element(type, props, ...children) {
  const href = props?.href;
  const isScheme =
    typeof href === "string" && /^[^/?#]*:/.test(href) && !/^(https?|webcal|mailto|blob):/i.test(href);
  return h(type, isScheme ? { ...props, href: undefined } : props, ...children);
}

/** Templates make virtual nodes: whatever is put into them is text, never markup. */
export const html = htm.bind(element);
