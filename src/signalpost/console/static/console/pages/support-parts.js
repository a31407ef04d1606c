// What the views of support share: kinds of tickets, votes, files.
import { html, useState } from "../html.js";
import { local, post, remove } from "../api.js";
import { Icon } from "../icons.js";
import { number, t } from "../i18n.js";
import { toastProblem } from "../components/toasts.js";

/** @typedef {import("signalpost/api").Schemas["AttachedFile"]} AttachedFile */
/** @typedef {import("signalpost/api").Schemas["TicketMessage"]} TicketMessage */
/** @typedef {import("signalpost/api").Schemas["Ticket"]} Ticket */

/** @returns {[string, string][]} */
export const kinds = () => [
  ["question", t("Question")],
  ["bug", t("Fault")],
  ["billing", t("Billing")],
  ["account", t("Account")],
  ["suggestion", t("Feature request")],
];
/** @param {string} key */
export const kindName = (key) => kinds().find(([kind]) => kind === key)?.[1] ?? key;
export const SUGGESTION = "suggestion";
const WITHOUT_VOTES = ["closed", "declined", "shipped"];
/** @type {Set<Promise<unknown>>} */
const voting = new Set();
/** Until the votes that were given are counted, so that a list that is loaded then has them. */
export const votesCounted = () => Promise.allSettled(voting);

/**
 * One vote of each person: counted at once, and taken back if the service refuses it.
 * @param {{ticket: Ticket}} props
 */
export function Vote({ ticket }) {
  const [state, setState] = useState({ votes: ticket.votes, voted: ticket.votedByMe, busy: false });
  const toggle = async () => {
    if (state.busy) return;
    const voted = !state.voted;
    setState({ votes: state.votes + (voted ? 1 : -1), voted, busy: true });
    const vote = voted ? post(`/support/${ticket.id}/vote`) : remove(`/support/${ticket.id}/vote`);
    voting.add(vote);
    try {
      const now = await vote;
      setState({ votes: now.votes, voted: now.votedByMe, busy: false });
    } catch (error) {
      setState({ ...state, busy: false });
      toastProblem(error);
    } finally {
      voting.delete(vote);
    }
  };
  const closed = WITHOUT_VOTES.includes(ticket.status) && !state.voted;
  return html`
    <button
      type="button"
      class="vote"
      aria-pressed=${state.voted ? "true" : "false"}
      disabled=${closed}
      onClick=${toggle}
    >
      <${Icon} name="up" />
      <strong>${number(state.votes)}</strong>
      <span class="hidden"> ${t("votes for {name}", { name: ticket.subject })}</span>
    </button>
  `;
}

/** @param {{files: AttachedFile[]}} props */
export function Attached({ files }) {
  if (!files.length) return null;
  return html`
    <ul class="attached">
      ${files.map((file) => html`
        <li key=${file.mediaId}>
          <a href=${local(file.url)} target="_blank" rel="noopener">
            <${Icon} name="image" />
            ${file.fileName}
          </a>
        </li>
      `)}
    </ul>
  `;
}
