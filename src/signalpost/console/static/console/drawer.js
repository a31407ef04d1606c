// The API drawer: the calls that the page has just made, as a program would make them.
import { html, useState } from "./html.js";
import { hasExtension, recorded } from "./api.js";
import { t } from "./i18n.js";
import { to } from "./router.js";
import { Samples } from "./samples.js";
import { Dialog } from "./components/dialog.js";

/** @typedef {import("./api.js").Recorded} Recorded */

/** @param {{onClose: () => void}} props */
export default function Drawer({ onClose }) {
  const [chosen, setChosen] = useState(/** @type {Recorded | null} */ (null));
  const calls = recorded.value;
  // Not by its place: new calls arrive above it.
  const call = chosen && calls.includes(chosen) ? chosen : calls[0];
  return html`
    <${Dialog} title=${t("API calls of this page")} onClose=${onClose} wide>
      <p class="soft">
        ${t(
          "The console only uses the public API. These calls, with a key of yours in SIGNALPOST_KEY, do the same.",
        )}
      </p>
      <div class="drawer">
        <ul class="calls">
          ${calls.map((entry) => html`
            <li key=${`${entry.at} ${entry.requestId}`}>
              <button
                type="button"
                class="call"
                aria-pressed=${entry === call ? "true" : "false"}
                onClick=${() => setChosen(entry)}
              >
                <code class=${`method ${entry.method}`}>${entry.method}</code>
                <span class="call-path">${entry.path}</span>
                <span class=${entry.status < 400 ? "soft" : "bad"}>${entry.status}</span>
                <span class="soft">${entry.ms} ms</span>
              </button>
            </li>
          `)}
        </ul>
        ${call && html`
          <${Samples} call=${call}>
            ${hasExtension("request_log") && html`
              <a
                class="small"
                href=${to("developers/requests", { requestId: call.requestId })}
                onClick=${onClose}
              >
                ${t("In the request log")}
              </a>
            `}
            <code class="soft small">${call.requestId}</code>
          <//>
        `}
      </div>
    <//>
  `;
}
