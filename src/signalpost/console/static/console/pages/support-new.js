// A new ticket. While the subject is typed, feature requests that say the same are shown: a vote is better
// than a duplicate.
import { html, useEffect, useState } from "../html.js";
import { get, post, recorded } from "../api.js";
import { Files } from "../files.js";
import { t } from "../i18n.js";
import { go, to } from "../router.js";
import { loadBasics, may, profiles } from "../store.js";
import { useAction } from "../hooks.js";
import { Badge } from "../components/badge.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Check, Field } from "../components/field.js";
import { ProblemBox } from "../components/problem-box.js";
import { toastProblem } from "../components/toasts.js";
import { SUGGESTION, Vote, kinds } from "./support-parts.js";

const TYPED_MIN = 3;
const PAUSE_MS = 300;
const SIMILAR_MAX = 4;

/** @param {string} subject @returns {any[]} */
function useSimilar(subject) {
  const [similar, setSimilar] = useState(/** @type {any[]} */ ([]));
  useEffect(() => {
    const typed = subject.trim();
    if (typed.length < TYPED_MIN) {
      setSimilar([]);
      return undefined;
    }
    const aborted = new AbortController();
    const timer = setTimeout(
      () =>
        get("/support/suggestions", { q: typed, limit: SIMILAR_MAX }, { signal: aborted.signal }).then(
          (page) => setSimilar(page.data),
          (error) => aborted.signal.aborted || toastProblem(error),
        ),
      PAUSE_MS,
    );
    return () => {
      clearTimeout(timer);
      aborted.abort();
    };
  }, [subject]);
  return similar;
}

/** @param {{kind: string, onClose: () => void}} props */
export default function NewTicket({ kind, onClose }) {
  const [fields, setFields] = useState({ type: kind, subject: "", body: "", priority: "normal" });
  const [files, setFiles] = useState(/** @type {any[]} */ ([]));
  const [uploading, setUploading] = useState(0);
  const [failed] = useState(() => recorded.peek().find((call) => call.status >= 400 && call.requestId));
  const [withFailed, setWithFailed] = useState(Boolean(failed) && kind !== SUGGESTION);
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const similar = useSimilar(fields.subject);
  useEffect(() => {
    loadBasics().catch(toastProblem);
  }, []);
  const [busy, open] = useAction(async () => {
    setProblem(null);
    const context = {
      url: location.href.slice(0, 2_048),
      userAgent: navigator.userAgent.slice(0, 500),
      requestId: withFailed ? failed?.requestId : null,
    };
    try {
      const ticket = await post("/support", {
        ...fields,
        context,
        attachments: files.map((file) => file.mediaId),
      });
      onClose();
      go(`support/${ticket.id}`);
    } catch (error) {
      setProblem(error);
    }
  });
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) =>
    setFields({ ...fields, [name]: value });
  const errorOf = (/** @type {string} */ name) =>
    problem?.issues?.find((/** @type {any} */ issue) => issue.path.startsWith(`/${name}`))?.message;
  const isSuggestion = fields.type === SUGGESTION;
  const profile = profiles.value?.[0];
  return html`
    <${Dialog}
      title=${isSuggestion ? t("Suggest a feature") : t("Open a ticket")}
      onClose=${onClose}
      onSubmit=${open}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Cancel")}<//>
          <${Button} kind="primary" type="submit" busy=${busy || uploading > 0}>
            ${isSuggestion ? t("Suggest it") : t("Send")}
          <//>
        `
      }
    >
      ${problem && html`<${ProblemBox} problem=${problem} />`}
      <${Field}
        label=${t("Kind")}
        options=${kinds()}
        value=${fields.type}
        onInput=${set("type")}
        hint=${
          isSuggestion
            ? t("Public at once: users of all workspaces see it with your name.")
            : t("Only your workspace and the people who run this service see it.")
        }
      />
      <${Field}
        label=${t("Subject")}
        value=${fields.subject}
        maxlength="200"
        error=${errorOf("subject")}
        onInput=${set("subject")}
        autofocus
      />
      ${similar.length > 0 && html`
        <section class="similar" aria-label=${t("Already suggested")}>
          <p class="soft">${t("Already suggested; a vote counts more than a second one:")}</p>
          <ul class="list suggestions">
            ${similar.map((suggestion) => html`
              <li key=${suggestion.id}>
                <${Vote} ticket=${suggestion} />
                <a class="grow" href=${to(`support/${suggestion.id}`)} onClick=${onClose}>
                  ${suggestion.subject}
                </a>
                <${Badge} state=${suggestion.status} />
              </li>
            `)}
          </ul>
        </section>
      `}
      <${Field}
        label=${isSuggestion ? t("What should it do, and what for?") : t("What happened?")}
        rows=${6}
        maxlength="10000"
        value=${fields.body}
        error=${errorOf("body")}
        onInput=${set("body")}
      />
      ${!isSuggestion && html`
        <${Field}
          label=${t("Urgency")}
          options=${[
            ["low", t("low")],
            ["normal", t("normal")],
            ["high", t("high")],
            ["urgent", t("urgent")],
          ]}
          value=${fields.priority}
          onInput=${set("priority")}
        />
      `}
      ${failed && html`
        <${Check}
          label=${t("Add the request that was refused last")}
          hint=${`${failed.method} ${failed.path} · ${failed.status} · ${failed.requestId}`}
          checked=${withFailed}
          onChange=${setWithFailed}
        />
      `}
      ${may("media:write") && profile && html`
        <${Files}
          files=${files}
          profileId=${profile.id}
          onChange=${setFiles}
          onUploading=${setUploading}
        />
      `}
    <//>
  `;
}
