// The colours of the console, which this browser keeps.
import { signal } from "./html.js";

export const theme = signal(localStorage.getItem("theme") ?? "system");

/** @param {string} name */
export function setTheme(name) {
  theme.value = name;
  localStorage.setItem("theme", name);
  document.documentElement.dataset.theme = name;
}
document.documentElement.dataset.theme = theme.peek();
