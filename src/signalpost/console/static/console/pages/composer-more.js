// What few posts have: a first comment, a link, a title; and how they are found again.
import { html } from "../html.js";
import { t } from "../i18n.js";
import { Field } from "../components/field.js";

/** @typedef {import("../draft.js").Change} Change */
/** @typedef {import("../draft.js").ErrorAt} ErrorAt */
/** @typedef {import("../draft.js").Draft} Draft */

/** @param {{draft: Draft, change: Change, errorAt: ErrorAt}} props */
export default function More({ draft, change, errorAt }) {
  const field = (
    /** @type {"firstComment" | "link" | "tags" | "title" | "campaign"} */ name,
    /** @type {string} */ label,
    /** @type {any} */ more = {},
  ) => html`
    <${Field}
      label=${label}
      data-steps="true"
      value=${draft[name]}
      error=${errorAt(`/${name}`)}
      onInput=${(/** @type {string} */ value) => change({ [name]: value })}
      ...${more}
    />
  `;
  return html`
    ${field("firstComment", t("First comment"), {
      rows: 2,
      hint: t("Posted right after the post, where the network allows it."),
    })}
    ${field("link", t("Link"), { type: "url" })}
    <div class="row">
      ${field("tags", t("Tags"), {
        hint: t("Separated by commas; for finding posts here, never published."),
      })}
      ${field("campaign", t("Campaign"))}
    </div>
    ${field("title", t("Title"), { hint: t("For networks with titles, and for lists here.") })}
  `;
}
