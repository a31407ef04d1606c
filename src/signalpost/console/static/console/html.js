// The template function of all modules, and what they need of the libraries.
import { h } from "./vendor/preact.js";
import htm from "./vendor/htm.js";

export { Component, Fragment, createContext, render } from "./vendor/preact.js";
export { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor/hooks.js";
export { batch, computed, effect, signal } from "./vendor/signals.js";

/** Templates make virtual nodes: whatever is put into them is text, never markup. */
export const html = htm.bind(h);
