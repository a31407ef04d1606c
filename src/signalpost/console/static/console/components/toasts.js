// Short messages in a corner: what was done, what was refused.
import { html, signal } from "../html.js";
import { Problem } from "../api.js";
import { t } from "../i18n.js";
import { issueSentence, sentencesOf } from "../words.js";
import { Button } from "./button.js";

/** @typedef {{id: number, text: string, undo?: () => void, tone: string}} Toast */
export const toasts = signal(/** @type {Toast[]} */ ([]));

let sent = 0;
const TOAST_MS = 10_000;

/**
 * Say what happened; `undo` takes it back within ten seconds.
 * @param {string} text
 * @param {{undo?: () => void, tone?: string}} [options]
 */
export function toast(text, { undo, tone = "ok" } = {}) {
  const message = { id: (sent += 1), text, undo, tone };
  // What is said again is one message.
  const others = toasts.peek().filter((other) => other.text !== text || other.undo);
  toasts.value = [...others, message].slice(-4);
  setTimeout(() => dismiss(message.id), TOAST_MS);
}

/** @param {number} id */
const dismiss = (id) => {
  toasts.value = toasts.peek().filter((message) => message.id !== id);
};

export function Toasts() {
  return html`
    <div class="toasts" role="status" aria-live="polite">
      ${toasts.value.map((message) => html`
        <div class=${`toast ${message.tone}`} key=${message.id}>
          <span>${message.text}</span>
          ${message.undo && html`
            <${Button}
              kind="quiet"
              onClick=${() => {
                dismiss(message.id);
                message.undo?.();
              }}
            >
              ${t("Undo")}
            <//>
          `}
          <${Button}
            kind="quiet"
            icon="close"
            aria-label=${t("Dismiss")}
            onClick=${() => dismiss(message.id)}
          />
        </div>
      `)}
    </div>
  `;
}

/** Say that something was refused. @param {unknown} error */
export function toastProblem(error) {
  if (!(error instanceof Problem)) return toast(String(error), { tone: "bad" });
  const { happened, detail, todo } = sentencesOf(error);
  const [issue] = error.issues;
  const sentences = issue ? [happened, issueSentence(issue)] : [happened, detail, todo];
  toast(sentences.filter(Boolean).join(" "), { tone: "bad" });
}
