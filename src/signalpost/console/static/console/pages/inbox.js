// The inbox: what people write under published posts, one after the other, until nothing is left.
import { html } from "../html.js";
import { patch } from "../api.js";
import { Button } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { lazy } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { More, usePages } from "../components/more.js";
import { Page } from "../components/page.js";
import { Tabs } from "../components/tabs.js";
import { toast, toastProblem } from "../components/toasts.js";
import { useAction } from "../hooks.js";
import { t } from "../i18n.js";
import { useCommands } from "../keys.js";
import { useLive } from "../live.js";
import { go, to } from "../router.js";
import { accountOf, loadBasics, loadPlatforms, may, networkName, profiles } from "../store.js";
import { relative, Time } from "../time.js";
import { inTheMorning, isPutOff, stateWords } from "./inbox-words.js";

/** @typedef {import("signalpost/api").Schemas["Comment"]} Comment */
/** @typedef {import("signalpost/api").Schemas["CommentList"]} CommentList */

const Detail = lazy(() => import("./inbox-comment.js"));
const Rules = lazy(() => import("./inbox-rules.js"));
const SavedReplies = lazy(() => import("./inbox-saved.js"));
const LIMIT = 25;
/** Part of the address -> filters. @type {Record<string, Record<string, string | boolean>>} */
const FILTERS = {
  "": { state: "open", snoozed: false },
  unanswered: { unanswered: true },
  later: { state: "open", snoozed: true },
  done: { state: "done" },
};

/** Part of the address -> what to expect there. @returns {Record<string, string>} */
const EMPTY = () => ({
  later: t("What you put off appears here, and comes back by itself."),
  done: t("What you have dealt with appears here."),
});

/** @param {{id: string, query: Record<string, string>}} props */
export default function Inbox({ id, query }) {
  if (id.startsWith("cmt_")) return html`<${Detail} id=${id} answers=${"answer" in query} />`;
  return html`
    <${Page} title=${t("Inbox")} subtitle=${t("What people write under your posts.")}>
      <${Tabs}
        label=${t("Inbox")}
        path="inbox"
        current=${id}
        tabs=${[
          ["", t("To do")],
          ["unanswered", t("Not answered")],
          ["later", t("Later")],
          ["done", t("Done")],
          ["saved", t("Saved replies")],
          ["rules", t("Rules")],
        ]}
      />
      ${id === "saved" ? html`
        <${SavedReplies} />
      ` : id === "rules" ? html`
        <${Rules} />
      ` : html`
        <${Comments} id=${id} profileId=${query.profileId} />
      `}
    <//>
  `;
}

/** Move the focus to the next or previous comment of the list. @param {number} by */
function move(by) {
  const links = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".inbox a.row-link")]);
  const at = links.findIndex((link) => link === document.activeElement);
  links[Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
}

/** The comment whose link has the focus, or the first. */
const chosen = () => {
  const link = document.activeElement?.closest(".inbox li") ?? document.querySelector(".inbox li");
  return link instanceof HTMLElement ? (link.dataset.id ?? "") : "";
};

/** @param {{id: string, profileId?: string}} props */
function Comments({ id, profileId }) {
  const filters = { ...(FILTERS[id] ?? FILTERS[""]), profileId, limit: LIMIT };
  // together: the name of a client that came later would move the rows below
  const loaded = usePages("/comments", filters, () => Promise.all([loadBasics(), loadPlatforms()]));
  useLive(loaded.reload, {
    seconds: 30,
    active: (loaded.data?.data.length ?? 0) <= LIMIT,
    concerns: ({ subject }) => Boolean(subject?.startsWith("cmt_")),
  });
  const end = async () => {
    const comment = chosen();
    if (!comment || !may("comments:write")) return;
    await patch(`/comments/${comment}`, { state: "done" });
    await loaded.reload();
  };
  const putOff = async () => {
    const comment = chosen();
    if (!comment || !may("comments:write")) return;
    const snoozedUntil = inTheMorning(1).toISOString();
    await patch(`/comments/${comment}`, { snoozedUntil });
    toast(t("It comes back {time}.", { time: relative(snoozedUntil) }), {
      undo: () => patch(`/comments/${comment}`, { snoozedUntil: null }).then(loaded.reload),
    });
    await loaded.reload();
  };
  useCommands(
    [
      { keys: "j", name: t("Next comment"), run: () => move(1) },
      { keys: "k", name: t("Previous comment"), run: () => move(-1) },
      {
        keys: "r",
        name: t("Answer"),
        run: () => {
          if (chosen()) go(`inbox/${chosen()}`, { answer: "1" });
        },
      },
      { keys: "e", name: t("Mark as done"), run: () => void end().catch(toastProblem) },
      { keys: "s", name: t("Tomorrow morning"), run: () => void putOff().catch(toastProblem) },
    ],
    [loaded.data],
  );
  return html`
    <${Loaded} loaded=${loaded} lines=${6}>
      ${(/** @type {CommentList} */ page) =>
        page.data.length ? html`
          <ul class="list repairs approvals inbox">
            ${page.data.map((comment) => html`
              <${Entry} key=${comment.id} comment=${comment} reload=${loaded.reload} />
            `)}
          </ul>
          <${More} path="/comments" query=${filters} page=${page} setPage=${loaded.setData} />
        ` : html`
          <${Empty} title=${t("The inbox is empty")} icon="check">
            ${EMPTY()[id] ??
              t("When someone writes under one of your posts, it appears here within minutes.")}
          <//>
        `
      }
    <//>
  `;
}

/** @param {{comment: Comment, reload: () => Promise<void>}} props */
function Entry({ comment, reload }) {
  const { author, assignee } = comment;
  const client = profiles.value?.find((profile) => profile.id === comment.profileId)?.name;
  const isDone = comment.state === "done";
  const [busy, change] = useAction(async () => {
    await patch(`/comments/${comment.id}`, { state: isDone ? "open" : "done" });
    await reload();
  });
  return html`
    <li data-id=${comment.id}>
      <span class="grow">
        <a class="row-link clip" href=${to(`inbox/${comment.id}`)} dir="auto">
          ${comment.deletedAt ? t("This comment was deleted.") : comment.text || t("Without text")}
        </a>
        <span class="soft">
          <span dir="auto">${author.name}</span> · ${networkName(comment.platform)}
          ${client && html`
            ${" "}
            · <span dir="auto">${client}</span>
          `}
          ${accountOf(comment.accountId) && html` · @${accountOf(comment.accountId)?.username}`} ·${" "}
          <${Time} at=${comment.postedAt} kind="relative" />
        </span>
        <span class="soft">
          ${stateWords(comment)}
          ${comment.tags.length > 0 && html`
            ${" "}
            · <span dir="auto">${comment.tags.join(", ")}</span>
          `}
          ${comment.snoozedUntil && html`
            ${" "}
            · ${isPutOff(comment) ? t("comes back") : t("came back")}${" "}
            <${Time} at=${comment.snoozedUntil} kind="relative" />
          `}
          ${assignee && html`
            ${" "}
            · <span dir="auto">${t("{name} takes care of it", { name: assignee.name })}</span>
          `}
        </span>
      </span>
      ${may("comments:write") && html`
        <span class="actions">
          <${Button} icon=${isDone ? "back" : "check"} busy=${busy} onClick=${change}>
            ${isDone ? t("To do again") : t("Done")}
            <span class="hidden"> ${comment.text.slice(0, 40)}</span>
          <//>
        </span>
      `}
    </li>
  `;
}
