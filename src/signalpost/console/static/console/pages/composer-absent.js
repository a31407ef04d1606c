// What the composer says to those who cannot write: their role does not, or there is no client yet.
import { html } from "../html.js";
import { LinkButton } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { Page } from "../components/page.js";
import { t } from "../i18n.js";
import { to } from "../router.js";
import { may } from "../store.js";

export default function Absent() {
  const isMine = may("posts:write");
  return html`
    <${Page} title=${t("Write a post")}>
      ${isMine ? html`
        <${Empty}
          title=${t("No client yet")}
          icon="clients"
          action=${
            may("profiles:write") && html`
              <${LinkButton} href=${to("clients", { new: "1" })} kind="primary" icon="plus">
                ${t("New client")}
              <//>
            `
          }
        >
          ${t("A client holds the accounts of a brand, a shop or a person.")}
        <//>
      ` : html`
        <${Empty} title=${t("Your role does not write posts")} icon="compose">
          ${t("Ask an admin of the workspace for another role.")}
        <//>
      `}
    <//>
  `;
}
