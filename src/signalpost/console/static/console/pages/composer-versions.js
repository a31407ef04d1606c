// Earlier texts of a draft, read from the history of the post, and how to go back to one.
import { html } from "../html.js";
import { all } from "../api.js";
import { t } from "../i18n.js";
import { useAction, useLoad } from "../hooks.js";
import { Time } from "../time.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Loaded } from "../components/loaded.js";
import { toast } from "../components/toasts.js";

/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("./composer-draft.js").Saving} Saving */
/** @typedef {import("signalpost/api").Schemas["AuditEntry"]} Entry */
/**
 * By the names of the history.
 * @typedef {Record<string, unknown> & {text?: string, tags?: string | string[], targets?: Target[]}} Texts
 */
/** @typedef {{accountId: string, text?: string}} Target */
/** @typedef {{key: string, at: string, name: string, texts: Texts, isWhole: boolean}} Version */

const ENTRIES_MAX = 300;
/** What is saved while someone goes on writing is one version. */
const TOGETHER_MS = 5 * 60_000;
/** Of a longer text the history has the beginning. */
const TEXT_MAX = 2_000;
const NAMES = ["text", "title", "link", "firstComment", "tags", "campaign", "targets"];

/** @param {{saver: Saving, onClose: () => void}} props */
export default function Versions({ saver, onClose }) {
  const loaded = useLoad(async () => {
    await saver.save();
    return versionsOf(await all(`/posts/${saver.draft.id}/audit`, {}, ENTRIES_MAX), saver);
  }, []);
  return html`
    <${Dialog} wide title=${t("Earlier versions")} onClose=${onClose}>
      <p class="soft">
        ${t("Texts, link and tags can be put back; files, accounts and options stay as they are.")}
      </p>
      <${Loaded} loaded=${loaded}>
        ${(/** @type {Version[]} */ versions) => html`
          <ul class="list">
            ${versions.map((version, index) => html`
              <${Row}
                key=${version.key}
                version=${version}
                isNow=${index === 0}
                saver=${saver}
                onClose=${onClose}
              />
            `)}
          </ul>
        `}
      <//>
    <//>
  `;
}

/** @param {{version: Version, isNow: boolean, saver: Saving, onClose: () => void}} props */
function Row({ version, isNow, saver, onClose }) {
  const { at, name, texts, isWhole } = version;
  const [busy, putBack] = useAction(async () => {
    await saver.save(); // so that what is there now is a version, too
    saver.change(valuesOf(texts, saver.draft.accountIds));
    toast(t("Put back. What was there before is among the versions."));
    onClose();
  });
  return html`
    <li>
      <div class="grow">
        <${Time} at=${at} /> <span class="soft">· ${name}</span>
        <p class="post-text" dir="auto">
          ${texts.text || html`<span class="soft">${t("No text")}</span>`}
        </p>
        ${!isWhole && html`
          <p class="soft small">
            ${t("The history has only the beginning of texts over {n} characters.", { n: TEXT_MAX })}
          </p>
        `}
      </div>
      ${isNow ? html`
        <span class="soft">${t("Now")}</span>
      ` : (
        isWhole && html`
          <${Button} icon="back" busy=${busy} onClick=${putBack}>
            ${t("Put back")}
          <//>
        `
      )}
    </li>
  `;
}

/**
 * From what there is now back to the beginning: each entry says what was there before it.
 * @param {Entry[]} entries the latest first @param {Saving} saver @returns {Version[]}
 */
function versionsOf(entries, { draft }) {
  /** @type {Texts} */
  let texts = {
    ...Object.fromEntries(NAMES.map((name) => [name, draft[/** @type {keyof Draft} */ (name)]])),
    targets: Object.entries(draft.variants).map(([accountId, text]) => ({ accountId, text })),
  };
  const versions = /** @type {(Version & {actor: string | null})[]} */ ([]);
  for (const { id, at, actor, action, changes } of entries) {
    const changed = (changes ?? []).filter(({ field }) => NAMES.includes(field));
    if (!changed.length && action !== "created") continue;
    const last = versions.at(-1);
    const isGoingOn =
      actor.type === "user" &&
      last?.actor === actor.id &&
      new Date(last.at).getTime() - new Date(at).getTime() < TOGETHER_MS;
    if (!isGoingOn)
      versions.push({
        key: id,
        at,
        actor: actor.id,
        name: actor.name ?? t("A program"),
        texts,
        isWhole: !Object.values(texts).some(isCut),
      });
    texts = { ...texts, ...Object.fromEntries(changed.map((change) => [change.field, change.from])) };
  }
  return versions;
}

/** @param {unknown} value @returns {boolean} */
const isCut = (value) =>
  Array.isArray(value)
    ? value.some(({ text }) => isCut(text))
    : typeof value === "string" && value.length === TEXT_MAX + 1 && value.endsWith("…");

/** As the composer has them. @param {Texts} texts @param {string[]} accountIds */
const valuesOf = ({ targets, tags, ...texts }, accountIds) => ({
  ...Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, value ?? ""])),
  tags: Array.isArray(tags) ? tags.join(", ") : (tags ?? ""),
  variants: Object.fromEntries(
    (targets ?? [])
      .filter(({ accountId, text }) => accountIds.includes(accountId) && text)
      .map(({ accountId, text }) => [accountId, text ?? ""]),
  ),
});
