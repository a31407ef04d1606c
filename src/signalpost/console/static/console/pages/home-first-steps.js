// From nothing to a team that publishes: what home shows of a new workspace, to whoever can do it.
import { html, useState } from "../html.js";
import { get, post, userId, workspaceId } from "../api.js";
import { Icon } from "../icons.js";
import { t } from "../i18n.js";
import { to } from "../router.js";
import { may, me, profiles, workspaceZone } from "../store.js";
import { useAction } from "../hooks.js";
import { zoneLabel } from "../time.js";
import { Button, LinkButton } from "../components/button.js";
import { Card } from "../components/page.js";
import { firstProfile } from "../components/profile-field.js";
import { toast } from "../components/toasts.js";

const NEW_MS = 14 * 86_400_000;

/** @typedef {import("../html.js").Children} Children */
/** @typedef {{client: boolean, account: boolean, post: boolean, team: boolean}} Done */

const key = () => `first-steps:${userId.peek()}:${workspaceId.peek()}`;

/** Whether there is something left that this person can do, and has not put away. */
export const hasFirstSteps = () => may("posts:write") && localStorage.getItem(key()) !== "away";

/** Whether the workspace is in its first weeks. */
export const isNew = () => Date.now() - Date.parse(me.peek().workspace.createdAt) < NEW_MS;

/** Whether there is a team, or nobody whom this person could invite to one. */
export const hasTeam = async () => !may("team:write") || (await get("/team", { limit: 2 })).data.length > 1;

/**
 * What is done. A team is nothing that everybody needs: without one, the steps end with the first weeks.
 * @param {{accountCount: number, postCount: number}} counts in the whole workspace
 * @param {boolean} [hasOne] what `hasTeam` says, where that was asked already
 * @returns {Promise<Done | null>} null: all that this person needs
 */
export async function firstSteps({ accountCount, postCount }, hasOne) {
  const account = accountCount > 0;
  if (account && postCount > 0 && (!isNew() || !may("team:write"))) return null;
  const team = hasOne ?? (await hasTeam());
  const done = { client: Boolean(profiles.peek()?.length), account, post: postCount > 0, team };
  return Object.values(done).every(Boolean) ? null : done;
}

/** @param {{done: Done, reload: () => Promise<void>}} props */
export function FirstSteps({ done, reload }) {
  const [isAway, setAway] = useState(false);
  const putAway = () => {
    localStorage.setItem(key(), "away");
    setAway(true);
  };
  if (isAway) return null;
  const count = Object.values(done).filter(Boolean).length;
  return html`
    <${Card}
      title=${t("First steps")}
      actions=${
        html`
          <span class="soft">${t("{n} of {all} done", { n: count, all: 4 })}</span>
          <${Button} kind="quiet" icon="close" onClick=${putAway}>
            ${t("Do not show again")}
          <//>
        `
      }
    >
      <ol class="steps">
        <${Step}
          title=${t("A client")}
          isDone=${done.client}
          isOpen=${may("profiles:write")}
          action=${
            html`<${LinkButton} href=${to("clients", { new: "1" })} icon="plus">
              ${done.client ? t("Another client") : t("New client")}
            <//>`
          }
        >
          ${t("Whoever the accounts belong to: a brand, a shop, a person. Times are those of {zone}.", {
            zone: zoneLabel(workspaceZone.value),
          })}
        <//>
        <${Connecting} isDone=${done.account} reload=${reload} />
        <${Step}
          title=${t("A post")}
          isDone=${done.post}
          isOpen=${done.account}
          action=${
            html`<${LinkButton}
              href=${to("compose")}
              kind=${done.post ? "plain" : "primary"}
              icon="compose"
            >
              ${t("Write a post")}
            <//>`
          }
        >
          ${t("Publish it now, or choose a time.")}
        <//>
        <${Step}
          title=${t("The team")}
          isDone=${done.team}
          isOpen=${may("team:write")}
          action=${
            html`<${LinkButton} href=${to("team", { invite: "1" })} icon="team">
              ${t("Invite someone")}
            <//>`
          }
        >
          ${t("Those who write, approve or look, each with the rights they need.")}
        <//>
      </ol>
    <//>
  `;
}

/** @param {{isDone: boolean, reload: () => Promise<void>}} props */
function Connecting({ isDone, reload }) {
  const [busy, connect] = useAction(async () => {
    await post("/platforms/sandbox/connect", {
      profileId: firstProfile(),
      fields: { username: "demo" },
    });
    toast(t("The sandbox is connected."));
    await reload();
  });
  return html`
    <${Step}
      title=${t("An account")}
      isDone=${isDone}
      isOpen=${may("accounts:write")}
      action=${
        html`
          ${!isDone && html`
            <${Button} kind="primary" busy=${busy} onClick=${connect}>
              ${t("Connect the sandbox")}
            <//>
          `}
          <${LinkButton} href=${to("accounts", { connect: "1" })} icon="link">
            ${t("Connect a network")}
          <//>
        `
      }
    >
      ${t(
        "Where posts go. The sandbox is a network inside this service, to try things: it publishes nothing to the internet, and you disconnect it when you are done.",
      )}
    <//>
  `;
}

/**
 * @param {{title: string, isDone: boolean, isOpen: boolean, action: Children, children?: Children}} props
 * `isOpen`: whether this person can do it now
 */
const Step = ({ title, isDone, isOpen, action, children }) => html`
  <li class=${isDone ? "done" : ""}>
    <h3>
      ${title}${" "}
      ${isDone && html`
        <span class="badge ok">
          <${Icon} name="check" />
          ${t("Done")}
        </span>
      `}
    </h3>
    <p class="soft">${children}</p>
    ${isOpen && html`<div class="actions">${action}</div>`}
  </li>
`;
