// Links by which people without a login approve posts: what they show, whether they work, and their end.
import { html, useState } from "../html.js";
import { all, remove } from "../api.js";
import { useLoad } from "../hooks.js";
import { number, t } from "../i18n.js";
import { profiles } from "../store.js";
import { Time } from "../time.js";
import { Badge } from "../components/badge.js";
import { Button } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { lazyDialog } from "../components/lazy.js";
import { List } from "../components/list.js";
import { toast, toastProblem } from "../components/toasts.js";

/** @typedef {import("signalpost/api").Schemas["ApprovalLink"]} ApprovalLink */

const Ask = lazyDialog(() => import("./approvals-link.js"));

/** @param {{profileId: string}} props */
export default function Links({ profileId }) {
  const loaded = useLoad(() => all("/approval-links", { profileId }, 200), [profileId]);
  const [asking, setAsking] = useState(false);
  const revoke = (/** @type {ApprovalLink} */ link) =>
    remove(`/approval-links/${link.id}`)
      .then(() => toast(t("The link no longer works.")), toastProblem)
      .then(loaded.reload);
  const nameOf = (/** @type {ApprovalLink} */ link) =>
    profiles.value?.find((profile) => profile.id === link.profileId)?.name ?? "";
  const button = html`
    <${Button} kind="primary" icon="link" onClick=${() => setAsking(true)}>
      ${t("Ask for approval by link")}
    <//>
  `;
  return html`
    <${List}
      loaded=${loaded}
      label=${t("Sent links")}
      columns=${[t("Client"), t("For"), t("Posts"), t("State"), t("Last opened"), t("Ends"), ""]}
      action=${button}
      empty=${
        html`<${Empty} title=${t("No links")} icon="link" action=${button}>
          ${t(
            "Send a link to a client: they see what each network will show, and approve it or ask for changes, without a login.",
          )}
        <//>`
      }
      row=${(/** @type {ApprovalLink} */ link) => ({
        key: link.id,
        cells: [
          html`<span dir="auto">${nameOf(link)}</span>`,
          link.email ?? t("anyone with the link"),
          number(link.posts),
          html`<${Badge} state=${link.state} />`,
          link.lastOpenedAt ? html`<${Time} at=${link.lastOpenedAt} kind="relative" />` : t("never"),
          html`<${Time} at=${link.expiresAt} />`,
          link.state === "open" && html`
            <${Button} kind="danger" onClick=${() => revoke(link)}>
              ${t("Revoke")}
            <//>
          `,
        ],
      })}
    />
    ${asking && html`
      <${Ask}
        onClose=${() => {
          setAsking(false);
          void loaded.reload();
        }}
      />
    `}
  `;
}
