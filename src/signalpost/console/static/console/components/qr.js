// A QR code, for a camera.
import { html } from "../html.js";
import { encode } from "../vendor/qr.js";

const QUIET_MODULES = 4; // what ISO 18004 asks for around the code

/** @param {{text: string, label: string}} props */
export default function Qr({ text, label }) {
  const { size, data } = encode(text, { border: QUIET_MODULES });
  const dark = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")));
  return html`
    <svg class="qr" viewBox=${`0 0 ${size} ${size}`} role="img" aria-label=${label}>
      <rect width=${size} height=${size} fill="#fff" />
      <path d=${dark.join("")} fill="#000" />
    </svg>
  `;
}
