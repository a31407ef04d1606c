// The links by which calendar programs show posts: what each shows, another address for it, its end.
import { html, useState } from "../html.js";
import { all, post, remove } from "../api.js";
import { client } from "../client.js";
import { useLoad } from "../hooks.js";
import { loadTexts, t } from "../i18n.js";
import { isAdmin, isMine } from "../rights.js";
import { accounts, loadBasics, networkName, profiles } from "../store.js";
import { Time } from "../time.js";
import { stateLook } from "../components/badge.js";
import { Button } from "../components/button.js";
import { ConfirmDialog } from "../components/confirm-dialog.js";
import { Empty } from "../components/empty.js";
import { lazyDialog } from "../components/lazy.js";
import { List } from "../components/list.js";
import { toast } from "../components/toasts.js";
import { CalendarAddress } from "./calendar-address.js";

await loadTexts("calendar"); // two pages show it

/** @typedef {import("signalpost/api").Schemas["CalendarLink"]} CalendarLink */

const Subscribe = lazyDialog(() => import("./calendar-subscribe.js"));

/** What a link shows, in words. @param {CalendarLink} link */
function contentOf({ profileId, accountId, tag, campaign, statuses }) {
  const profile = profiles.value?.find(({ id }) => id === profileId)?.name;
  const account = accounts.value?.find(({ id }) => id === accountId);
  return [
    profileId ? (profile ?? "–") : t("All clients"),
    account && `${account.username} · ${networkName(account.platform)}`,
    tag && t("Tag {tag}", { tag }),
    campaign && t("Campaign {campaign}", { campaign }),
    ...statuses.map((status) => stateLook(status).word),
  ]
    .filter(Boolean)
    .join(", ");
}

/** The links that I may see. @param {{add?: boolean}} props `add`: with a button for another one */
export default function CalendarLinks({ add }) {
  const profileId = client.value;
  const loaded = useLoad(async () => {
    const [links] = await Promise.all([all("/calendar-links", { profileId }, 200), loadBasics()]);
    return links;
  }, [profileId]);
  const [question, setQuestion] = useState(
    /** @type {{link: CalendarLink, kind: "rotate" | "end"} | null} */ (null),
  );
  const [rotated, setRotated] = useState(/** @type {CalendarLink | null} */ (null));
  const [adding, setAdding] = useState(false);
  const close = () => {
    setQuestion(null);
    setRotated(null);
    setAdding(false);
    void loaded.reload();
  };
  const button = add && html`
    <${Button} icon="plus" onClick=${() => setAdding(true)}>
      ${t("Subscribe")}
    <//>
  `;
  return html`
    <${List}
      loaded=${loaded}
      label=${t("Calendar links")}
      columns=${[t("Name"), t("Shows"), ...(isAdmin() ? [t("Made by")] : []), t("Last read"), ""]}
      action=${button}
      empty=${html`<${Empty} title=${t("No calendar link")} icon="calendar" action=${button} />`}
      row=${(/** @type {CalendarLink} */ link) => ({
        key: link.id,
        cells: [
          html`<strong dir="auto">${link.name}</strong>`,
          html`<span dir="auto">${contentOf(link)}</span>`,
          ...(isAdmin() ? [html`<span dir="auto">${link.createdBy.name ?? "–"}</span>`] : []),
          link.lastReadAt ? html`<${Time} at=${link.lastReadAt} kind="relative" />` : t("never"),
          html`<${Acts} link=${link} ask=${setQuestion} />`,
        ],
      })}
    />
    ${question && html`
      <${Question}
        ...${question}
        done=${setRotated}
        ended=${close}
        onClose=${() => setQuestion(null)}
      />
    `}
    ${rotated && html`<${CalendarAddress} link=${rotated} onClose=${close} />`}
    ${adding && html`<${Subscribe} filters=${{}} onClose=${close} />`}
  `;
}

/**
 * The question before a link gets another address, or ends.
 * @param {{
 *   link: CalendarLink, kind: "rotate" | "end", done: (link: CalendarLink) => void, ended: () => void,
 *   onClose: () => void
 * }} props
 */
function Question({ link, kind, done, ended, onClose }) {
  const { id, name } = link;
  const rotate = async () => {
    done(await post(`/calendar-links/${id}/rotate`, {}, { key: "" }));
    onClose();
  };
  const end = async () => {
    await remove(`/calendar-links/${id}`);
    toast(t("The calendar link no longer works."));
    ended();
  };
  const [title, confirm, act, note] =
    kind === "rotate"
      ? [
          t("Give {name} another address?", { name }),
          t("Another address"),
          rotate,
          t("The address that it has ends at once: every calendar that uses it needs the new one."),
        ]
      : [
          t("Delete {name}?", { name }),
          t("Delete"),
          end,
          t("Calendars that use it show these posts no longer."),
        ];
  return html`
    <${ConfirmDialog}
      title=${title}
      confirm=${confirm}
      kind=${kind === "rotate" ? "primary" : "danger"}
      act=${act}
      onClose=${onClose}
    >
      <p>${note}</p>
    <//>
  `;
}

/** Only whoever made a link may know another address of it. @param {{link: CalendarLink, ask: any}} props */
const Acts = ({ link, ask }) => html`
  <span class="row">
    ${isMine(link.createdBy) && html`
      <${Button} kind="quiet" icon="retry" onClick=${() => ask({ link, kind: "rotate" })}>
        ${t("Another address")}
      <//>
    `}
    <${Button} kind="danger" onClick=${() => ask({ link, kind: "end" })}>
      ${t("Delete")}
    <//>
  </span>
`;
