// The composer for whoever may not write posts.
import { html } from "../html.js";
import { t } from "../i18n.js";
import { Empty } from "../components/empty.js";
import { Page } from "../components/page.js";

export default () => html`
  <${Page} title=${t("Write a post")}>
    <${Empty} title=${t("Your role does not write posts")} icon="compose">
      ${t("Ask an admin of the workspace for another role.")}
    <//>
  <//>
`;
