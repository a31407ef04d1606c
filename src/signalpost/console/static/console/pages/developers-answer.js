// Sending an operation, and what came of it.
import { html, useEffect, useRef, useState } from "../html.js";
import { hasExtension } from "../api.js";
import { Icon } from "../icons.js";
import { number, t } from "../i18n.js";
import { send } from "../explorer.js";
import { to } from "../router.js";
import { Card } from "../components/page.js";

/** @typedef {import("../explorer.js").Answer} Answer */

/** One call at a time: what came of it, and what stops it. */
export function useSending() {
  const [state, setState] = useState(
    /** @type {{busy: boolean, answer: Answer | null, message: string}} */ ({
      busy: false,
      answer: null,
      message: "",
    }),
  );
  const abort = useRef(/** @type {AbortController | null} */ (null));
  useEffect(() => () => abort.current?.abort(), []);
  const start = async (
    /** @type {Parameters<typeof send>[0]} */ call,
    /** @type {{key: string, file: File | null}} */ options,
  ) => {
    const mine = new AbortController();
    abort.current = mine;
    setState({ busy: true, answer: null, message: "" });
    try {
      await send(call, {
        ...options,
        signal: mine.signal,
        onAnswer: (answer) => setState((old) => ({ ...old, answer })),
      });
      setState((old) => ({ ...old, busy: false }));
    } catch (error) {
      setState((old) => ({
        ...old,
        busy: false,
        message: mine.signal.aborted
          ? t("Stopped.")
          : t("No answer: {reason}", { reason: error instanceof Error ? error.message : String(error) }),
      }));
    }
  };
  return { ...state, start, stop: () => abort.current?.abort() };
}

/** @param {{sending: ReturnType<typeof useSending>}} props */
export function Result({ sending: { busy, answer, message } }) {
  const [tone, icon] =
    !answer || answer.status >= 500
      ? ["bad", "cross"]
      : answer.status >= 400
        ? ["warn", "warn"]
        : ["ok", "check"];
  const region = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (answer) region.current?.scrollIntoView({ block: "nearest" });
  }, [answer?.ms]);
  const requestId = answer?.headers.find(([name]) => name === "x-request-id")?.[1];
  return html`
    <${Card} title=${t("Answer")}>
      <div role="status" ref=${region} class="below-bar">
        ${busy && !answer && html`<p class="soft">${t("Sending…")}</p>`}
        ${!busy && !answer && !message && html`<p class="soft">${t("Nothing was sent yet.")}</p>`}
        ${answer && html`
          <p>
            <span class=${`badge ${tone}`}>
              <${Icon} name=${icon} />
              ${answer.status} ${answer.reason}
            </span>${" "}
            <span class="soft">${number(answer.ms)} ms</span>${" "}
            ${requestId && hasExtension("request_log") && html`
              <a href=${to("developers/requests", { requestId })}>${t("In the request log")}</a>
            `}
          </p>
        `}
        ${message && html`<p class="bad">${message}</p>`}
      </div>
      ${answer && html`
        <dl class="facts">
          ${answer.headers.map(([name, value]) => html`
            <dt>
              <code>${name}</code>
            </dt>
            <dd>${value}</dd>
            `)}
        </dl>
        ${answer.isFile && html`
          <p class="soft">${t("The answer is a file; the curl command brings it.")}</p>
        `}
        ${answer.text && html`
          <pre tabindex="0" class="answer">
            ${answer.text}
          </pre>
        `}
        ${answer.cut && html`
          <p class="soft">
            ${t("Only the beginning is shown; the curl command brings all of it.")}
          </p>
        `}
      `}
    <//>
  `;
}
