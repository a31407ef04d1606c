// Icons, drawn for this console: 16 by 16, strokes of 1.5.
import { html } from "./html.js";

const PATHS = /** @type {Record<string, string>} */ ({
  home: "M2.5 7 8 2.5 13.5 7v6.5h-4v-4h-3v4h-4z",
  posts: "M3 3.5h10M3 8h10M3 12.5h6",
  compose: "M11 2.5 13.5 5 6 12.5l-3 .5.5-3z",
  calendar: "M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2v3M10.5 2v3",
  clients: "M2.5 6.500 3.500 2.500h9l1 4M2.500 6.500h11v7h-11zM6.500 13.500v-4h3v4",
  accounts: "M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM3 13.5c.5-3 2.5-4 5-4s4.5 1 5 4",
  media: "M2.5 3.500h11v9h-11zM2.5 10.5 6 7.500l3 2.5 2-1.5 2.5 2M10.5 6.200h.01",
  analytics: "M3 13V8M6.5 13V4M10 13V9.500M13.5 13V6",
  developers: "M5.5 5 2.5 8l3 3M10.5 5l3 3-3 3",
  team: "M6 7.500a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.400ZM1.8 13c.3-2.6 2-3.7 4.2-3.700s3.9 1.1 4.2 3.700M10.5 3.300a2.2 2.2 0 0 1 0 4M12 9.500c1.3.5 2 1.7 2.2 3.5",
  billing: "M2 4h12v8.500H2zM2 7h12M4.5 10.500h2",
  support: "M3 3h10v7.500H8L5 13.500v-3H3z",
  admin: "M8 2 13 4v4c0 3-2 5-5 6-3-1-5-3-5-6V4z",
  settings: "M2.5 5h6M11.5 5h2M10 3.500v3M2.5 11h2M7.5 11h6M6 9.500v3",
  search: "M7 11.500a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.5 10.500l3 3",
  api: "M6 2.500c-2 0-1 4.5-3.5 5.5 2.5 1 1.5 5.5 3.5 5.500M10 2.500c2 0 1 4.5 3.5 5.5-2.5 1-1.5 5.5-3.5 5.5",
  menu: "M2.5 4.500h11M2.5 8h11M2.5 11.500h11",
  close: "M4 4l8 8M12 4l-8 8",
  check: "M3 8.5 6.5 12 13 4.5",
  warn: "M8 2.5 14 13H2zM8 6.500v3M8 11.300v.01",
  cross: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM6 6l4 4M10 6l-4 4",
  clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.500V8l2.5 1.5",
  question:
    "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM6.3 6.300C6.5 4.4 9.7 4.5 9.7 6.5 9.7 8 8 7.8 8 9.300M8 11.300v.01",
  dot: "M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z",
  send: "M2.5 8 13.5 2.5 11 13.5 7.5 9zM7.5 9l6-6.5",
  pause: "M5.5 3.500v9M10.5 3.500v9",
  plus: "M8 3v10M3 8h10",
  trash: "M3 4.500h10M6.5 4.500v-2h3v2M4.5 4.500l.5 9h6l.5-9",
  copy: "M5.5 5.500h8v8h-8zM10.5 5.500v-3h-8v8h3",
  link: "M9 3.500h3.500V7M12.5 3.5 7 9M6 4H3v9h9v-3",
  retry: "M13 8a5 5 0 1 1-1.5-3.500L13 6M13 2.500V6H9.5",
  updown: "M5 6.500 8 3.500l3 3M5 9.500l3 3 3-3",
  up: "M3.500 10 8 5.500l4.500 4.500",
  next: "M6 3.5 10.5 8 6 12.5",
  back: "M10 3.5 5.5 8 10 12.5",
  smile: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM5.5 9.5c1 1.700 4 1.700 5 0M6 6.500v.01M10 6.500v.01",
  repeat: "M3 8V6.500a2 2 0 0 1 2-2h7M10 2.5l2.5 2-2.5 2M13 8v1.500a2 2 0 0 1-2 2H4M6 13.5l-2.5-2 2.5-2",
  image: "M2.5 3.500h11v9h-11zM2.5 10.5 6 7.500l3 2.5 2-1.5 2.5 2",
  cut: "M4.500 1.500v10h10M1.500 4.500h10v10",
  undo: "M6 2.500 2.500 6 6 9.500M2.500 6h7a3.750 3.750 0 0 1 0 7.500H6",
  redo: "M10 2.500 13.500 6 10 9.500M13.500 6h-7a3.750 3.750 0 0 0 0 7.500H10",
  star: "M8 2.500 9.700 6l3.800.5-2.800 2.700.7 3.800L8 11.200 4.600 13l.7-3.800L2.500 6.500 6.300 6z",
  logout: "M9 2.500H3v11h6M7 8h7M11.5 5.5 14 8l-2.5 2.5",
});

/** @param {{name: keyof typeof PATHS | string, label?: string}} props */
export function Icon({ name, label }) {
  const described = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  return html`
    <svg
      class="icon"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      ...${described}
    >
      <path d=${PATHS[name] ?? PATHS.dot} />
    </svg>
  `;
}
