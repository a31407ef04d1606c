// Rules for new comments: they are made, switched off and deleted; and what they did.
import { html, useState } from "../html.js";
import { all, get, patch, remove } from "../api.js";
import { client } from "../client.js";
import { Badge } from "../components/badge.js";
import { Button } from "../components/button.js";
import { ConfirmDialog } from "../components/confirm-dialog.js";
import { Empty } from "../components/empty.js";
import { List } from "../components/list.js";
import { Loaded } from "../components/loaded.js";
import { More } from "../components/more.js";
import { Card } from "../components/page.js";
import { profileOptions } from "../components/profile-field.js";
import { toast } from "../components/toasts.js";
import { useAction, useLoad } from "../hooks.js";
import { t } from "../i18n.js";
import { to } from "../router.js";
import { loadBasics, may, networkName } from "../store.js";
import { Time } from "../time.js";
import { RuleDialog } from "./inbox-rule.js";
import { actionWords, effectWords, ruleErrorWords } from "./inbox-words.js";

/** @typedef {import("signalpost/api").Schemas["CommentRule"]} CommentRule */
/** @typedef {import("signalpost/api").Schemas["CommentRuleUseList"]} CommentRuleUseList */
/** @typedef {import("signalpost/api").Schemas["Member"]} Member */

const QUERY = { limit: 20 };

export default function Rules() {
  const profileId = client.value;
  const loaded = useLoad(async () => {
    const [rules, members] = await Promise.all([
      all("/comment-rules", { profileId }, 200),
      may("team:read") ? all("/team") : [],
      loadBasics(),
    ]);
    return { rules, members };
  }, [profileId]);
  return html`
    <${Loaded} loaded=${loaded}>
      ${(/** @type {{rules: CommentRule[], members: Member[]}} */ { rules, members }) => html`
        <${RuleList} rules=${rules} members=${members} reload=${loaded.reload} />
      `}
    <//>
    <${Uses} />
  `;
}

/** @param {{rules: CommentRule[], members: Member[], reload: () => Promise<void>}} props */
function RuleList({ rules, members, reload }) {
  const [edited, setEdited] = useState(/** @type {Partial<CommentRule> | null} */ (null));
  const [deleted, setDeleted] = useState(/** @type {CommentRule | null} */ (null));
  const mayWrite = may("comments:write");
  const add = mayWrite && html`
    <${Button}
      icon="plus"
      onClick=${() => setEdited({ profileIds: client.value ? [client.value] : null })}
    >
      ${t("New rule")}
    <//>
  `;
  return html`
    <${List}
      loaded=${{ data: rules, problem: null, reload }}
      label=${t("Rules")}
      columns=${[t("Name"), t("Which comments"), t("What happens"), t("State"), ""]}
      action=${add}
      empty=${
        html`<${Empty} title=${t("No rules")} icon="check" action=${add}>
          ${t("A rule hides, assigns, tags or ends new comments with certain words. It never answers.")}
        <//>`
      }
      row=${(/** @type {CommentRule} */ rule) => ({
        key: rule.id,
        cells: [
          html`<strong dir="auto">${rule.name}</strong>`,
          html`<span dir="auto">${conditionWords(rule)}</span>`,
          html`<span dir="auto">${effectWords(rule, members)}</span>`,
          html`<${State} rule=${rule} />`,
          mayWrite && html`
            <${RuleActions}
              rule=${rule}
              reload=${reload}
              edit=${() => setEdited(rule)}
              drop=${() => setDeleted(rule)}
            />
          `,
        ],
      })}
    />
    ${edited && html`
      <${RuleDialog}
        rule=${edited}
        members=${members}
        done=${reload}
        onClose=${() => setEdited(null)}
      />
    `}
    ${deleted && html`
      <${ConfirmDialog}
        title=${t("Delete {name}?", { name: deleted.name })}
        confirm=${t("Delete")}
        act=${async () => {
          await remove(`/comment-rules/${deleted.id}`);
          toast(t("Deleted."));
          await reload();
        }}
        onClose=${() => setDeleted(null)}
      >
        <p>${t("What it did stays.")}</p>
      <//>
    `}
  `;
}

/** @param {{rule: CommentRule}} props */
function State({ rule }) {
  return html`
    <${Badge} state=${rule.enabled ? "active" : rule.held ? "held" : "paused"} />
    ${rule.held && html`
      <p class="soft">
        ${t("{name} left, or may no longer do this. Whoever switches it on answers for it.", {
          name: rule.createdBy.name ?? t("someone"),
        })}
      </p>
    `}
  `;
}

/** @param {{rule: CommentRule, reload: () => Promise<void>, edit: () => void, drop: () => void}} props */
function RuleActions({ rule, reload, edit, drop }) {
  const [busy, toggle] = useAction(async () => {
    await patch(`/comment-rules/${rule.id}`, { enabled: !rule.enabled });
    await reload();
  });
  const name = html`<span class="hidden"> ${rule.name}</span>`;
  return html`
    <span class="row">
      <${Button} kind="quiet" busy=${busy} onClick=${toggle}>
        ${rule.enabled ? t("Switch off") : t("Switch on")}
        ${name}
      <//>
      <${Button} kind="quiet" onClick=${edit}>
        ${t("Change")}
        ${name}
      <//>
      <${Button} kind="danger" onClick=${drop}>
        ${t("Delete")}
        ${name}
      <//>
    </span>
  `;
}

/** What a comment has to have. @param {CommentRule} rule */
function conditionWords({ words, authors, profileIds, platforms }) {
  const names = new Map(profileOptions());
  return [
    words.length && t("with {words}", { words: words.map((word) => `“${word}”`).join(", ") }),
    authors.length && t("by {names}", { names: authors.join(", ") }),
    profileIds && t("of {names}", { names: profileIds.map((id) => names.get(id) ?? "–").join(", ") }),
    platforms && t("at {names}", { names: platforms.map(networkName).join(", ") }),
  ]
    .filter(Boolean)
    .join(" · ");
}

/** What rules did, the last first. */
function Uses() {
  const loaded = useLoad(() => get("/comment-rules/uses", QUERY), []);
  return html`
    <${Loaded} loaded=${loaded}>
      ${(/** @type {CommentRuleUseList} */ page) =>
        page.data.length > 0 && html`
          <${Card} title=${t("What rules did")}>
            <ol class="timeline">
              ${page.data.map((use) => html`
                <li key=${use.id}>
                  <div>
                    <strong dir="auto">${use.ruleName}</strong>${" "}
                    <span class="soft">
                      ${actionWords(use)} · <${Time} at=${use.createdAt} kind="relative" />
                    </span>
                  </div>
                  <p>
                    <a href=${to(`inbox/${use.commentId}`)}>${t("Open the comment")}</a>
                  </p>
                  ${use.error && html`<p class="error">${ruleErrorWords(use.error)}</p>`}
                </li>
              `)}
            </ol>
            <${More} path="/comment-rules/uses" query=${QUERY} page=${page} setPage=${loaded.setData} />
          <//>
        `
      }
    <//>
  `;
}
