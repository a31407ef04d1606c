// Feeds: blogs whose new items become posts.
import { html } from "../html.js";
import { all } from "../api.js";
import { Badge } from "../components/badge.js";
import { LinkButton } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { lazy } from "../components/lazy.js";
import { List } from "../components/list.js";
import { Page } from "../components/page.js";
import { profileOptions } from "../components/profile-field.js";
import { useLoad } from "../hooks.js";
import { number, t } from "../i18n.js";
import { to } from "../router.js";
import { loadBasics, may } from "../store.js";
import { Time } from "../time.js";

/** @typedef {import("signalpost/api").Schemas["Feed"]} Feed */

const Editor = lazy(() => import("./feeds-feed.js"));

/** @param {{id: string, query: Record<string, string>}} props */
export default function Feeds({ id, query }) {
  return id ? html`<${Editor} id=${id} />` : html`<${Overview} profileId=${query.profileId ?? ""} />`;
}

/** @param {{profileId: string}} props */
function Overview({ profileId }) {
  const loaded = useLoad(async () => {
    await loadBasics();
    return all("/feeds", { profileId });
  }, [profileId]);
  const add = may("posts:write") && html`
    <${LinkButton} href=${to("feeds/new")} kind="primary" icon="plus">
      ${t("New feed")}
    <//>
  `;
  return html`
    <${Page}
      title=${t("Feeds")}
      subtitle=${t("What is new on a blog becomes a post here.")}
      actions=${add}
    >
      <${List}
        loaded=${loaded}
        label=${t("Feeds")}
        columns=${[t("Feed"), t("Client"), t("State"), t("Posts"), t("Last read")]}
        empty=${
          html`<${Empty} title=${t("No feed yet")} icon="link" action=${add}>
            ${t("Paste the address of a blog once; then whatever it publishes waits here as a draft.")}
          <//>`
        }
        row=${(/** @type {Feed} */ feed) => ({
          key: feed.id,
          href: to(`feeds/${feed.id}`),
          cells: [
            html`<span dir="auto">${feed.title ?? feed.url}</span>`,
            html`<span dir="auto">
              ${Object.fromEntries(profileOptions())[feed.profileId] ?? "–"}
            </span>`,
            html`<${Badge} state=${feed.lastError && feed.state === "active" ? "warning" : feed.state} />`,
            number(feed.posted),
            feed.lastReadAt ? html`<${Time} at=${feed.lastReadAt} kind="relative" />` : t("never"),
          ],
        })}
      />
    <//>
  `;
}
