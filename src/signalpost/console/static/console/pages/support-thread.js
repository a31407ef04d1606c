// A ticket with its messages.
import { html, useEffect, useState } from "../html.js";
import { get, patch, post, remove } from "../api.js";
import { Icon } from "../icons.js";
import { t } from "../i18n.js";
import { Files } from "../files.js";
import { useAction, useLoad } from "../hooks.js";
import { useLive } from "../live.js";
import { go, to } from "../router.js";
import { loadBasics, may, me, profiles } from "../store.js";
import { Time } from "../time.js";
import { Avatar } from "../components/avatar.js";
import { Badge } from "../components/badge.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Check, Field } from "../components/field.js";
import { Loaded } from "../components/loaded.js";
import { Card, Page } from "../components/page.js";
import { ProblemBox } from "../components/problem-box.js";
import { toast, toastProblem } from "../components/toasts.js";
import { Attached, SUGGESTION, Vote, kindName, votesCounted } from "./support-parts.js";

/** @typedef {import("../files.js").Kept} Kept */
/** @typedef {import("signalpost/api").Schemas["Media"]} Media */
/** @typedef {import("signalpost/api").Schemas["TicketContextView"]} TicketContextView */
/** @typedef {import("signalpost/api").Schemas["TicketMessage"]} TicketMessage */
/** @typedef {import("signalpost/api").Schemas["Ticket"]} Ticket */

/** @typedef {import("../html.js").InputEvent} InputEvent */

const OF_TICKETS = ["open", "in_progress", "waiting_on_user", "resolved", "closed"];
const OF_SUGGESTIONS = ["open", "planned", "in_progress", "shipped", "declined", "closed"];
const STATUS_NAMES = () =>
  /** @type {Record<string, string>} */ ({
    open: t("Open"),
    in_progress: t("In progress"),
    waiting_on_user: t("Waiting for you"),
    resolved: t("Resolved"),
    closed: t("Closed"),
    planned: t("Planned"),
    shipped: t("Shipped"),
    declined: t("Declined"),
  });
const isStaff = () => may("instance:admin");

/** @param {{id: string}} props */
export default function Thread({ id }) {
  const loaded = useLoad(() => votesCounted().then(() => get(`/support/${id}`)), [id]);
  useLive(loaded.reload, { seconds: 20 });
  useEffect(() => {
    loadBasics().catch(toastProblem);
  }, []);
  const ticket = loaded.data;
  return html`
    <${Page}
      title=${ticket ? ticket.subject : t("Support")}
      subtitle=${
        ticket && html`
          <a href=${to(ticket.type === SUGGESTION ? "support/suggestions" : "support")}>${t("Support")}</a>${" "}
          · #${ticket.number} · ${kindName(ticket.type)} ·${" "}
          ${ticket.visibility === "public" ? t("everybody sees it") : t("your workspace sees it")}
        `
      }
      actions=${ticket && html`<${Actions} ticket=${ticket} setTicket=${loaded.setData} />`}
    >
      <${Loaded} loaded=${loaded} lines=${6}>
        ${() => html`
          ${ticket.mergedIntoId && html`
            <div class="notice" role="status">
              <${Icon} name="link" />
              <p>
                <a href=${to(`support/${ticket.mergedIntoId}`)}>${t("It goes on in another ticket.")}</a>
              </p>
            </div>
          `}
          ${ticket.context && html`<${Context} context=${ticket.context} />`}
          <ol class="thread">
            ${ticket.messages.map((message) => html`
              <${Message} key=${message.id} message=${message} />
            `)}
          </ol>
          ${ticket.workspaceId === null ? html`
            <p class="soft">
              ${t("Only its authors and staff write here. Your vote says that you need it too.")}
            </p>
          ` : ticket.status === "closed" ? html`
            <p class="soft">${t("It is closed and takes no messages.")}</p>
          ` : html`
            <${Reply} ticket=${ticket} reload=${loaded.reload} />
          `}
        `}
      <//>
    <//>
  `;
}

/** @param {{context: TicketContextView}} props */
function Context({ context }) {
  const rows = [
    [t("Request"), context.requestId && html`<code>${context.requestId}</code>`],
    [
      t("Post"),
      context.postId && html`<a href=${to(`posts/${context.postId}`)}>${context.postId}</a>`,
    ],
    [t("Page"), context.url],
    [t("Program"), context.userAgent],
  ].filter(([, value]) => value);
  return (
    rows.length > 0 && html`
      <details class="context">
        <summary>${t("What it is about")}</summary>
        <dl class="facts small">
          ${rows.map(([name, value]) => html`
            <dt>${name}</dt>
            <dd>${value}</dd>
          `)}
        </dl>
      </details>
    `
  );
}

/** @param {{message: TicketMessage}} props */
function Message({ message }) {
  const { author } = message;
  return html`
    <li class=${message.internal ? "message internal" : `message ${author.role}`}>
      <${Avatar} name=${author.name} />
      <div class="grow">
        <p>
          <strong>${author.name}</strong>${" "}
          ${author.role === "staff" && html`<span class="soft">${t("Support")}</span>`}${" "}
          ${message.internal && html`
            <span class="badge warn">
              <${Icon} name="dot" />
              ${t("note among staff")}
            </span>
          `}${" "}
          <span class="soft">
            <${Time} at=${message.createdAt} kind="relative" />
          </span>
        </p>
        <div class="post-text">${message.body}</div>
        <${Attached} files=${message.files} />
      </div>
    </li>
  `;
}

/** @param {{ticket: Ticket, reload: () => Promise<void>}} props */
function Reply({ ticket, reload }) {
  const [body, setBody] = useState("");
  const [files, setFiles] = useState(/** @type {Kept[]} */ ([]));
  const [uploading, setUploading] = useState(0);
  const [internal, setInternal] = useState(false);
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const [busy, send] = useAction(async () => {
    setProblem(null);
    try {
      await post(`/support/${ticket.id}/messages`, {
        body,
        attachments: files.map((file) => file.mediaId),
        ...(internal ? { internal } : {}),
      });
      setBody("");
      setFiles([]);
      await reload();
    } catch (error) {
      setProblem(error);
    }
  });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!busy && !uploading) void send();
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
  };
  const profile = profiles.value?.[0];
  return html`
    <${Card} title=${t("Answer")}>
      <form onSubmit=${submit} onKeyDown=${onKey}>
        ${problem && html`<${ProblemBox} problem=${problem} />`}
        <${Field}
          label=${t("Message")}
          rows=${4}
          maxlength="10000"
          value=${body}
          onInput=${setBody}
          hint=${ticket.status === "resolved" ? t("A message opens it again.") : undefined}
        />
        ${may("media:write") && profile && html`
          <${Files}
            files=${files}
            profileId=${profile.id}
            onChange=${setFiles}
            onUploading=${setUploading}
          />
        `}
        ${isStaff() && html`
          <${Check}
            label=${t("A note among staff: users never see it")}
            checked=${internal}
            onChange=${setInternal}
          />
        `}
        <${Button} kind="primary" type="submit" icon="send" busy=${busy || uploading > 0}>
          ${t("Send")}
        <//>
      </form>
    <//>
  `;
}

/** @param {{ticket: Ticket, setTicket: (ticket: Ticket) => void}} props */
function Actions({ ticket, setTicket }) {
  const [deleting, setDeleting] = useState(false);
  const isMine = ticket.author.id === me.value.user.id;
  const isSuggestion = ticket.type === SUGGESTION;
  const move = (/** @type {string} */ status) =>
    patch(`/support/${ticket.id}/status`, { status }).then((changed) => {
      setTicket(changed);
      toast(t("Now: {state}", { state: STATUS_NAMES()[changed.status] }));
    }, toastProblem);
  const decided = ["shipped", "declined"].includes(ticket.status);
  return html`
    ${isSuggestion && html`<${Vote} key=${ticket.votes} ticket=${ticket} />`}
    <${Badge} state=${ticket.status} />
    ${isStaff() ? html`
      <select
        class="status"
        aria-label=${t("State")}
        onChange=${(/** @type {InputEvent} */ event) => move(event.currentTarget.value)}
      >
        ${(isSuggestion ? OF_SUGGESTIONS : OF_TICKETS).map((key) => html`
          <option value=${key} selected=${key === ticket.status}>
            ${STATUS_NAMES()[key]}
          </option>
        `)}
      </select>
    ` : (
      isMine &&
      !decided &&
      (ticket.status === "closed" ? html`
        <${Button} onClick=${() => move("open")}>${t("Open it again")}<//>
      ` : html`
        <${Button} onClick=${() => move("closed")}>${t("Close it")}<//>
      `)
    )}
    ${isMine && html`
      <${Button}
        kind="quiet"
        icon="trash"
        aria-label=${t("Delete the ticket")}
        onClick=${() => setDeleting(true)}
      />
    `}
    ${deleting && html`<${Delete} ticket=${ticket} onClose=${() => setDeleting(false)} />`}
  `;
}

/** @param {{ticket: Ticket, onClose: () => void}} props */
function Delete({ ticket, onClose }) {
  const [busy, act] = useAction(async () => {
    await remove(`/support/${ticket.id}`);
    toast(t("The ticket is deleted."));
    go(ticket.type === SUGGESTION ? "support/suggestions" : "support");
  });
  return html`
    <${Dialog}
      title=${t("Delete the ticket?")}
      onClose=${onClose}
      onSubmit=${act}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Keep it")}<//>
          <${Button} kind="danger" type="submit" busy=${busy}>
            ${t("Delete")}
          <//>
        `
      }
    >
      <p>${t("It is deleted with its messages. That is possible until staff have answered.")}</p>
    <//>
  `;
}
