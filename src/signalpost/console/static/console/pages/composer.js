// The composer: one text, variants per account, counters and previews by the rules that the service itself
// applies.
import { html, useState } from "../html.js";
import { Problem, get, online } from "../api.js";
import { t } from "../i18n.js";
import { draftOf, emptyDraft } from "../draft.js";
import { keptOf } from "../files.js";
import { useAction, useLoad } from "../hooks.js";
import { loadModule } from "../modules.js";
import {
  accounts,
  activeProfiles,
  loadBasics,
  loadPlatforms,
  may,
  profiles,
  workspaceZone,
} from "../store.js";
import { Button } from "../components/button.js";
import { lazy, lazyDialog } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { Page } from "../components/page.js";
import { ProfileField, firstProfile } from "../components/profile-field.js";
import { toastProblem } from "../components/toasts.js";
import { Checks, useCheck } from "./composer-checks.js";
import { useChanges, useDraft, useSend } from "./composer-draft.js";
import { NOTHING, allKept, baseOf, newKeptId, newest, readDraft } from "./composer-kept.js";
import { Accounts, PostFiles, Texts } from "./composer-texts.js";
import { issueSentence, sentencesOf } from "../words.js";
import { Undo } from "./composer-undo.js";
import { More, When } from "./composer-when.js";

const Absent = lazy(() => import("./composer-absent.js"), 2);
const NetworkOptions = lazy(() => import("./composer-options.js"), 1);
const Links = lazy(() => import("./composer-links.js"), 2);
const Thread = lazy(() => import("./composer-thread.js"), 1);
const Preview = lazy(() => import("./composer-preview.js"));
const Notices = lazyDialog(() => import("./composer-notices.js"));
const Drafts = lazyDialog(() => import("./composer-drafts.js"));
const Versions = lazyDialog(() => import("./composer-versions.js"));

/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("./composer-draft.js").First} First */
/** @typedef {import("./composer-draft.js").Saving} Saving */
/** @typedef {import("./composer-draft.js").Submit} Submit */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */
/** @typedef {import("signalpost/api").Schemas["PostValidation"]} PostValidation */

/**
 * @param {string} id
 * @param {Record<string, string>} query what to begin with: a `copy` of a post, a place of the calendar, what
 * is `kept` in this browser, or what another app shares: its `title`, `text` and `url`
 * @returns {Promise<First>}
 */
async function begin(id, { kept: openedId, copy, at, timezone, profileId, media, ...shared }) {
  const chosen = media ? media.split(",").slice(0, 35) : [];
  const keptId = openedId ?? history.state?.draft;
  const entry = keptId ? readDraft(keptId) : id ? allKept().find(({ draft }) => draft.id === id) : null;
  const postId = entry ? entry.draft.id : id || copy;
  const [post, files] = await Promise.all([
    postId ? (entry ? newest(postId) : get(`/posts/${postId}`)) : null,
    Promise.allSettled(chosen.map((mediaId) => get(`/media/${mediaId}`))),
    basics().then(() =>
      postId || (entry?.draft.accountIds ?? onlyOne(clientOf(profileId)?.id ?? "")).length
        ? ofAccounts()
        : undefined,
    ),
    loadPlatforms(),
  ]);
  if (entry) {
    // An earlier version of the console did not keep what the service had.
    const base = entry.base ?? { ...NOTHING, ...(post && { ...baseOf(post), sent: {}, server: {} }) };
    return { keptId: entry.keptId, draft: entry.draft, base, isResumed: true, post };
  }
  const first = { keptId: newKeptId(), isResumed: false, post };
  if (post) return { ...first, draft: draftOf(post, Boolean(copy)), base: copy ? NOTHING : baseOf(post) };
  const added = files.flatMap((result) => (result.status === "fulfilled" ? [keptOf(result.value)] : []));
  const place = at
    ? { when: /** @type {const} */ ("schedule"), at, ...(timezone ? { timezone } : {}) }
    : {};
  const profile = clientOf(profileId);
  const draft = emptyDraft(profile?.id ?? "", profile?.timezone ?? workspaceZone.peek());
  const accountIds = onlyOne(draft.profileId);
  return {
    ...first,
    draft: { ...draft, accountIds, media: added, text: textOf(shared), ...place },
    base: NOTHING,
  };
}

/** For whom a post is begun. @param {string | undefined} profileId of the address */
function clientOf(profileId) {
  const choices = activeProfiles.peek();
  return choices.find(({ id }) => id === profileId) ?? choices.find(({ id }) => id === firstProfile());
}

/** What the form shows of accounts: there before it, as what moves while it is pressed is missed. */
const ofAccounts = () => Promise.all([NetworkOptions.ready(), Thread.ready()]);

/**
 * A page is shared as its title and address; some apps give the address as text.
 * @param {Record<string, string>} shared
 */
const textOf = ({ title = "", text = "", url = "" }) =>
  [text || title, ...(text.includes(url) ? [] : [url])].filter(Boolean).join("\n");

/** Clients and accounts; those that are known at once, and again what others have connected meanwhile. */
async function basics() {
  if (accounts.peek()) loadBasics(true).catch(toastProblem);
  else await loadBasics();
}

/** @param {string} profileId */
const usable = (profileId) =>
  (accounts.value ?? []).filter(
    (account) => account.profileId === profileId && account.status !== "disconnected",
  );

/** There is nothing to choose of one account. @param {string} profileId */
function onlyOne(profileId) {
  const own = usable(profileId);
  return own.length === 1 ? [own[0].id] : [];
}

/** @param {{id: string, query: Record<string, string>}} props */
export default function Composer({ id, query }) {
  return may("posts:write") ? html`<${Begun} id=${id} query=${query} />` : html`<${Absent} />`;
}

/** @param {{id: string, query: Record<string, string>}} props */
function Begun({ id, query }) {
  const { kept: keptId, copy, at, profileId, media, title, text, url } = query;
  const loaded = useLoad(
    () => begin(id, query),
    [id, keptId, copy, at, profileId, media, title, text, url],
  );
  return html`
    <${Loaded} loaded=${loaded} lines=${8}>
      ${(/** @type {First} */ first) => html`<${Editor} first=${first} key=${first.keptId} />`}
    <//>
  `;
}

/** What another client changes: accounts are its own. @param {string} profileId @returns {Partial<Draft>} */
const ofProfile = (profileId) => ({
  profileId,
  accountIds: onlyOne(profileId),
  variants: {},
  own: {},
  utm: undefined,
  timezone:
    profiles.value?.find((candidate) => candidate.id === profileId)?.timezone ?? workspaceZone.value,
});

/** @param {{first: First}} props */
function Editor({ first }) {
  const saver = useDraft(first);
  const { draft } = saver;
  const [uploads, setUploads] = useState(/** @type {Record<string, number>} */ ({}));
  const isUploading = Object.values(uploads).some((count) => count > 0);
  const onUploading = (/** @type {string | number} */ place, /** @type {number} */ count) =>
    setUploads((/** @type {Record<string, number>} */ old) => ({ ...old, [place]: count }));
  const { submit, busy, refused } = useSend(saver, isUploading);
  const { checked, problem } = useCheck(draft);
  const own = usable(draft.profileId);
  const change = (/** @type {Partial<Draft>} */ values) => saver.change(values);

  const setProfile = (/** @type {string} */ profileId) => change(ofProfile(profileId));
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (!(event.ctrlKey || event.metaKey) || (event.key !== "Enter" && event.key !== "s")) return;
    event.preventDefault();
    void submit(event.key !== "Enter" ? "draft" : "send");
  };
  const latest = refused ?? saver.problem;
  const errorAt = (/** @type {string} */ path) => {
    const issue =
      latest instanceof Problem
        ? latest.issues.find((candidate) => `${candidate.path}/`.startsWith(`${path}/`))
        : undefined;
    return issue && issueSentence(issue);
  };
  if (!activeProfiles.value.length) return html`<${Absent} />`;
  return html`
    <${Page}
      wide
      title=${draft.id ? t("Edit the post") : t("Write a post")}
      actions=${
        html`<${Actions} saver=${saver} busy=${busy} isUploading=${isUploading} submit=${submit} />`
      }
    >
      <div class="composer" onKeyDown=${onKey}>
        <div>
          ${(refused || saver.conflict || saver.moved || saver.news || !saver.isKept) && html`
            <${Notices} saver=${saver} refused=${refused} submit=${submit} />
          `}
          ${saver.base.status === "draft" && html`
            <${ProfileField} value=${draft.profileId} onInput=${setProfile} />
          `}
          <${Content}
            saver=${saver}
            draft=${draft}
            own=${own}
            change=${change}
            checked=${checked}
            errorAt=${errorAt}
            onUploading=${onUploading}
          />
        </div>
        <${Aside} draft=${draft} own=${own} checked=${checked} problem=${problem} />
      </div>
    <//>
  `;
}

/** @param {Draft} draft */
const hasLinks = ({ link, text, variants, thread, firstComment }) =>
  Boolean(link) ||
  [text, firstComment, ...Object.values(variants), ...(thread ?? []).map((part) => part.text)].some(
    (written) => /https?:\/\/./i.test(written),
  );

/**
 * What a post says, where, how and when.
 * @param {{
 *   saver: Saving, draft: Draft, own: PlatformAccount[], change: import("../draft.js").Change,
 *   checked: PostValidation | null, errorAt: import("../draft.js").ErrorAt,
 *   onUploading: (place: string | number, count: number) => void
 * }} props
 */
function Content({ saver, draft, own, change, checked, errorAt, onUploading }) {
  const chosen = own.filter((account) => draft.accountIds.includes(account.id));
  const current =
    chosen.length > 1 && !draft.failed ? chosen.find((account) => account.id === saver.tab) : undefined;
  const show = (/** @type {string} */ accountId) => {
    saver.tab = accountId;
    saver.render();
  };
  const props = { draft, own, change, checked, errorAt };
  return html`
    ${!draft.failed && html`<${Accounts} own=${own} draft=${draft} change=${change} />`}
    <${Texts}
      ...${props}
      current=${current?.id ?? ""}
      setCurrent=${show}
      undo=${html`<${Undo} saver=${saver} />`}
    />
    <${PostFiles}
      ...${props}
      account=${current}
      onUploading=${(/** @type {number} */ count) => onUploading("post", count)}
    />
    ${(draft.thread?.length > 0 || chosen.some((account) => account.capabilities.thread)) && html`
      <${Thread} ...${props} chosen=${chosen} onUploading=${onUploading} />
    `}
    ${chosen.length > 0 && html`<${NetworkOptions} ...${props} />`}
    ${(draft.utm || hasLinks(draft)) && html`<${Links} ...${props} />`}
    ${!draft.failed && html`<${When} ...${props} />`}
    <${More} ...${props} />
  `;
}

/**
 * None of these moves when a draft is saved: a press that has begun would end beside its button.
 * @param {{saver: Saving, busy: string, isUploading: boolean, submit: Submit}} props
 */
function Actions({ saver, busy, isUploading, submit }) {
  useChanges(saver);
  const { draft } = saver;
  const [dialog, setDialog] = useState("");
  const [discarding, discard] = useAction(async () =>
    (await loadModule(() => import("./composer-drafts.js"))).discardOpen(saver),
  );
  const close = () => setDialog("");
  const verb =
    draft.when === "now" ? t("Publish now") : draft.when === "slot" ? t("Add to the queue") : t("Schedule");
  return html`
    <${Saved} saver=${saver} waits=${Boolean(busy) && !online.value} />
    <${Button} kind="quiet" onClick=${() => setDialog("drafts")}>
      ${t("Drafts")}
    <//>
    <${Button} kind="quiet" disabled=${!draft.id} onClick=${() => setDialog("versions")}>
      ${t("Versions")}
    <//>
    ${saver.isDraft && html`
      <${Button} kind="quiet" icon="trash" busy=${discarding} onClick=${discard}>
        ${t("Discard")}
      <//>
    `}
    <${Button} busy=${busy === "draft"} onClick=${() => submit("draft")}>
      ${draft.failed ? t("Save") : t("Save draft")}
    <//>
    <${Button}
      kind="primary"
      icon=${may("posts:publish") ? "send" : "check"}
      busy=${busy === "send"}
      disabled=${!draft.accountIds.length || isUploading}
      onClick=${() => submit("send")}
    >
      ${may("posts:publish") ? verb : t("Ask for approval")}
    <//>
    ${dialog === "drafts" && html`<${Drafts} saver=${saver} onClose=${close} />`}
    ${dialog === "versions" && html`<${Versions} saver=${saver} onClose=${close} />`}
  `;
}

/** Where what is written is. @param {{saver: Saving, waits: boolean}} props */
function Saved({ saver, waits }) {
  useChanges(saver);
  if (waits)
    return html`
      <span class="soft small" role="status">
        ${t("Waiting for the network…")}
      </span>
    `;
  const { draft, problem } = saver;
  const isThere = saver.isDraft && draft.id && !saver.isUnsaved() && !saver.conflict && !saver.moved;
  return html`
    <span class="soft small saved">
      ${isThere && !problem ? t("Saved") : t("Kept in this browser")}
      ${problem instanceof Problem && problem.status > 0 && ` · ${sentencesOf(problem).happened}`}
    </span>
  `;
}

/**
 * @param {{
 *   draft: Draft, own: PlatformAccount[], checked: PostValidation | null, problem: unknown
 * }} props
 */
function Aside({ draft, own, checked, problem }) {
  return html`
    <aside class="side-column" aria-label=${t("Checks and previews")}>
      <${Checks} checked=${checked} problem=${problem} draft=${draft} />
      ${draft.accountIds.map((accountId) => html`
        <${Preview}
          key=${accountId}
          draft=${draft}
          account=${own.find((account) => account.id === accountId)}
          checked=${checked}
        />
      `)}
    </aside>
  `;
}
