// From nothing to a published post: what home shows of a new workspace.
import { html, useEffect } from "../html.js";
import { post } from "../api.js";
import { Icon } from "../icons.js";
import { t } from "../i18n.js";
import { to } from "../router.js";
import { accounts, loadBasics, may, profiles } from "../store.js";
import { useAction } from "../hooks.js";
import { Button, LinkButton } from "../components/button.js";
import { Card } from "../components/page.js";
import { toast, toastProblem } from "../components/toasts.js";

/** From nothing to a published post. @param {{reload: () => Promise<void>, hasPosts: boolean}} props */
export default function FirstSteps({ reload, hasPosts }) {
  const [busy, connect] = useAction(async () => {
    await post("/platforms/sandbox/connect", {
      profileId: profiles.peek()?.[0].id,
      fields: { username: "demo" },
    });
    toast(t("The sandbox is connected."));
    await reload();
  });
  useEffect(() => {
    loadBasics().catch(toastProblem);
  }, []);
  const connected = Boolean(accounts.value?.length);
  return html`
    <${Card} title=${t("First steps")}>
      <ol class="steps">
        <li class=${connected ? "done" : ""}>
          <h3>${t("Connect an account")}</h3>
          <p class="soft">
            ${t(
              "The sandbox is a network inside this service: it publishes nothing to the internet, and fails on command.",
            )}
          </p>
          ${connected ? html`
            <span class="badge ok">
              <${Icon} name="check" />
              ${t("Done")}
            </span>
          ` : html`
            <div class="actions">
              ${may("accounts:write") && html`
                <${Button} kind="primary" busy=${busy} onClick=${connect}>
                  ${t("Connect the sandbox")}
                <//>
              `}
              <${LinkButton} href=${to("accounts")}>${t("Connect a network")}<//>
            </div>
          `}
        </li>
        <li class=${hasPosts ? "done" : ""}>
          <h3>${t("Write your first post")}</h3>
          <p class="soft">${t("Publish it now, or choose a time.")}</p>
          ${connected && html`
            <${LinkButton} href=${to("compose")} kind="primary" icon="compose">
              ${t("Write a post")}
            <//>
          `}
        </li>
        <li>
          <h3>${t("Do the same with a program")}</h3>
          <p class="soft">
            ${t(
              "“API calls”, at the left, shows every call of this console as curl, Python and TypeScript.",
            )}
          </p>
          <${LinkButton} href=${to("developers")} icon="developers">
            ${t("Make an API key")}
          <//>
        </li>
      </ol>
    <//>
  `;
}
