// In place of the composer, where nobody made a client yet.
import { html } from "../html.js";
import { t } from "../i18n.js";
import { to } from "../router.js";
import { may } from "../store.js";
import { LinkButton } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { Page } from "../components/page.js";

export default function NoClient() {
  return html`
    <${Page} title=${t("Write a post")}>
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
    <//>
  `;
}
