// A new ticket. While the subject is typed, feature requests that say the same are shown: a vote is better
// than a duplicate.
import { html, useEffect, useState } from "../html.js";
import { get, post, recorded } from "../api.js";
import { t } from "../i18n.js";
import { Files } from "../files.js";
import { go, to } from "../router.js";
import { loadBasics, may, profiles } from "../store.js";
import { Badge } from "../components/badge.js";
import { Check, Field } from "../components/field.js";
import { FormDialog, useForm } from "../components/form.js";
import { toastProblem } from "../components/toasts.js";
import { SUGGESTION, Vote, kinds } from "./support-parts.js";

/** @typedef {import("../files.js").Kept} Kept */
/** @typedef {import("signalpost/api").Schemas["Ticket"]} Ticket */
/** @typedef {import("signalpost/api").Schemas["Media"]} Media */

const TYPED_MIN = 3;
const PAUSE_MS = 300;
const SIMILAR_MAX = 4;

/** @param {string} subject @returns {Ticket[]} */
function useSimilar(subject) {
  const [similar, setSimilar] = useState(/** @type {Ticket[]} */ ([]));
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
  const [files, setFiles] = useState(/** @type {Kept[]} */ ([]));
  const [uploading, setUploading] = useState(0);
  const [failed] = useState(() => recorded.peek().find((call) => call.status >= 400 && call.requestId));
  const [withFailed, setWithFailed] = useState(Boolean(failed) && kind !== SUGGESTION);
  useEffect(() => {
    loadBasics().catch(toastProblem);
  }, []);
  const form = useForm({ type: kind, subject: "", body: "", priority: "normal" }, async (values) => {
    const context = {
      url: location.href.slice(0, 2_048),
      userAgent: navigator.userAgent.slice(0, 500),
      requestId: withFailed ? failed?.requestId : null,
    };
    const attachments = files.map((file) => file.mediaId);
    const ticket = await post("/support", { ...values, context, attachments });
    onClose();
    go(`support/${ticket.id}`);
  });
  const similar = useSimilar(form.values.subject);
  const isSuggestion = form.values.type === SUGGESTION;
  const profile = profiles.value?.[0];
  return html`
    <${FormDialog}
      title=${isSuggestion ? t("Suggest a feature") : t("Open a ticket")}
      form=${{ ...form, busy: form.busy || uploading > 0 }}
      submit=${isSuggestion ? t("Suggest it") : t("Send")}
      onClose=${onClose}
    >
      <${Field}
        label=${t("Kind")}
        options=${kinds()}
        ...${form.field("type")}
        hint=${
          isSuggestion
            ? t("Public at once: users of all workspaces see it with your name.")
            : t("Only your workspace and the people who run this service see it.")
        }
      />
      <${Field} label=${t("Subject")} ...${form.field("subject")} maxlength="200" autofocus />
      ${similar.length > 0 && html`<${Similar} suggestions=${similar} onClose=${onClose} />`}
      <${Field}
        label=${isSuggestion ? t("What should it do, and what for?") : t("What happened?")}
        rows=${6}
        maxlength="10000"
        ...${form.field("body")}
      />
      ${!isSuggestion && html`<${Urgency} ...${form.field("priority")} />`}
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

/** @param {{suggestions: Ticket[], onClose: () => void}} props */
function Similar({ suggestions, onClose }) {
  return html`
    <section class="similar" aria-label=${t("Already suggested")}>
      <p class="soft">${t("Already suggested; a vote counts more than a second one:")}</p>
      <ul class="list suggestions">
        ${suggestions.map((suggestion) => html`
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
  `;
}

/** @param {{value: string, onInput: (value: string) => void}} props */
function Urgency(props) {
  return html`
    <${Field}
      label=${t("Urgency")}
      options=${[
        ["low", t("low")],
        ["normal", t("normal")],
        ["high", t("high")],
        ["urgent", t("urgent")],
      ]}
      ...${props}
    />
  `;
}
