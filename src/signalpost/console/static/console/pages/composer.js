// The composer: one text, variants per account, counters and previews by the rules that the service itself
// applies.
import { html, useState } from "../html.js";
import { Problem, get, online } from "../api.js";
import { loadTexts, t } from "../i18n.js";
import { draftOf, emptyDraft, forget, keep, stored } from "../draft.js";
import { keptOf } from "../files.js";
import { useLoad } from "../hooks.js";
import { to } from "../router.js";
import { accounts, loadBasics, loadPlatforms, may, profiles, zone } from "../store.js";
import { wallTime } from "../time.js";
import { Button, LinkButton } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { lazy } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { Page } from "../components/page.js";
import { ProfileField } from "../components/profile-field.js";
import { Checks, Preview, useCheck } from "./composer-checks.js";
import { Refusal, useSend } from "./composer-send.js";
import { Accounts, PostFiles, Texts } from "./composer-texts.js";
import { issueSentence } from "../words.js";
import { More, When } from "./composer-when.js";

/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */
/** @typedef {import("signalpost/api").Schemas["PostValidation"]} PostValidation */

const NetworkOptions = lazy(() => import("./composer-options.js"), 1);
const Thread = lazy(() => import("./composer-thread.js"), 1);

/**
 * @param {string} id
 * @param {Record<string, string>} query what to begin with: a `copy` of a post, or a place of the calendar
 * @returns {Promise<Draft>}
 */
async function begin(id, { copy, at, timezone, profileId, media }) {
  const chosen = media ? media.split(",").slice(0, 35) : [];
  const [files] = await Promise.all([
    Promise.allSettled(chosen.map((mediaId) => get(`/media/${mediaId}`))),
    loadBasics(),
    loadPlatforms(),
    loadTexts("options"),
  ]);
  const added = files.flatMap((result) => (result.status === "fulfilled" ? [keptOf(result.value)] : []));
  const local = stored(id);
  const place =
    at && !id ? { when: /** @type {const} */ ("schedule"), at, ...(timezone ? { timezone } : {}) } : {};
  if (local && !copy && (id || local.text || local.media.length))
    return {
      ...local,
      ...place,
      media: [
        ...local.media,
        ...added.filter((addition) => !local.media.some((file) => file.mediaId === addition.mediaId)),
      ],
    };
  if (id || copy) {
    const post = await get(`/posts/${id || copy}`);
    const draft = draftOf(post, Boolean(copy));
    return post.scheduledAt && !copy
      ? { ...draft, at: wallTime(new Date(post.scheduledAt), post.timezone) }
      : draft;
  }
  const choices = profiles.peek() ?? [];
  const profile =
    choices.find((candidate) => candidate.id === profileId) ??
    choices.find((candidate) => candidate.isDefault) ??
    choices[0];
  const draft = emptyDraft(profile?.id ?? "", profile?.timezone ?? zone.peek());
  const own = usable(draft.profileId);
  return { ...draft, accountIds: own.length === 1 ? [own[0].id] : [], media: added, ...place };
}

/** @param {string} profileId */
const usable = (profileId) =>
  (accounts.value ?? []).filter(
    (account) => account.profileId === profileId && account.status !== "disconnected",
  );

/** @param {{id: string, query: Record<string, string>}} props */
export default function Composer({ id, query }) {
  const loaded = useLoad(() => begin(id, query), [id, query.copy, query.at, query.profileId, query.media]);
  return html`
    <${Loaded} loaded=${loaded} lines=${8}>
      ${(/** @type {Draft} */ first) => html`<${Editor} first=${first} key=${first.id} />`}
    <//>
  `;
}

/** What another client changes: accounts are its own. @param {string} profileId @returns {Partial<Draft>} */
const ofProfile = (profileId) => ({
  profileId,
  accountIds: [],
  variants: {},
  own: {},
  timezone: profiles.value?.find((candidate) => candidate.id === profileId)?.timezone ?? zone.value,
});

/** @param {{first: Draft}} props */
function Editor({ first }) {
  const [draft, setDraft] = useState(first);
  const [uploads, setUploads] = useState(/** @type {Record<string, number>} */ ({}));
  const isUploading = Object.values(uploads).some((count) => count > 0);
  const onUploading = (/** @type {string | number} */ place, /** @type {number} */ count) =>
    setUploads((/** @type {Record<string, number>} */ old) => ({ ...old, [place]: count }));
  const { submit, busy, refused, setRefused } = useSend(draft, isUploading);
  const { checked, problem } = useCheck(draft);
  const own = usable(draft.profileId);
  const change = (/** @type {Partial<Draft>} */ values) =>
    setDraft((/** @type {Draft} */ old) => {
      const changed = { ...old, ...values };
      keep(changed);
      return changed;
    });

  const setProfile = (/** @type {string} */ profileId) => change(ofProfile(profileId));
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (!(event.ctrlKey || event.metaKey) || (event.key !== "Enter" && event.key !== "s")) return;
    event.preventDefault();
    void submit(event.key !== "Enter" ? "draft" : "send");
  };
  const errorAt = (/** @type {string} */ path) => {
    const issue =
      refused instanceof Problem
        ? refused.issues.find((candidate) => `${candidate.path}/`.startsWith(`${path}/`))
        : undefined;
    return issue && issueSentence(issue);
  };
  if (!profiles.value?.length) return html`<${NoProfile} />`;
  return html`
    <${Page}
      wide
      title=${draft.id ? t("Edit the post") : t("Write a post")}
      actions=${
        html`<${Actions} draft=${draft} busy=${busy} isUploading=${isUploading} submit=${submit} />`
      }
    >
      <div class="composer" onKeyDown=${onKey}>
        <div>
          ${refused && html`
            <${Refusal}
              problem=${refused}
              draft=${draft}
              submit=${submit}
              replace=${(/** @type {Draft} */ saved) => {
                forget(saved.id);
                setRefused(null);
                setDraft(saved);
              }}
            />
          `}
          ${!draft.id && html`<${ProfileField} value=${draft.profileId} onInput=${setProfile} />`}
          <${Content}
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

/**
 * What a post says, where, how and when.
 * @param {{
 *   draft: Draft, own: PlatformAccount[], change: import("../draft.js").Change,
 *   checked: PostValidation | null, errorAt: import("../draft.js").ErrorAt,
 *   onUploading: (place: string | number, count: number) => void
 * }} props
 */
function Content({ draft, own, change, checked, errorAt, onUploading }) {
  const [tab, setTab] = useState("");
  const chosen = own.filter((account) => draft.accountIds.includes(account.id));
  const current =
    chosen.length > 1 && !draft.failed ? chosen.find((account) => account.id === tab) : undefined;
  const props = { draft, own, change, checked, errorAt };
  return html`
    ${!draft.failed && html`<${Accounts} own=${own} draft=${draft} change=${change} />`}
    <${Texts} ...${props} current=${current?.id ?? ""} setCurrent=${setTab} />
    <${PostFiles}
      ...${props}
      account=${current}
      onUploading=${(/** @type {number} */ count) => onUploading("post", count)}
    />
    ${(draft.thread?.length > 0 || chosen.some((account) => account.capabilities.thread)) && html`
      <${Thread} ...${props} chosen=${chosen} onUploading=${onUploading} />
    `}
    <${NetworkOptions} ...${props} />
    ${!draft.failed && html`<${When} ...${props} />`}
    <${More} ...${props} />
  `;
}

function NoProfile() {
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

/** @typedef {ReturnType<typeof useSend>} Sending */

/**
 * @param {{
 *   draft: Draft, busy: string, isUploading: boolean, submit: Sending["submit"]
 * }} props
 */
function Actions({ draft, busy, isUploading, submit }) {
  const waits = Boolean(busy) && !online.value;
  const verb =
    draft.when === "now" ? t("Publish now") : draft.when === "slot" ? t("Add to the queue") : t("Schedule");
  return html`
    <span class="soft small" role="status">
      ${waits ? t("Waiting for the network…") : t("Kept in this browser")}
    </span>
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
