// The composer: one text, variants per account, counters and previews by the rules that the service itself
// applies.
import { html, useEffect, useMemo, useRef, useState } from "../html.js";
import { Problem, all, get, newKey, online, patch, post as send } from "../api.js";
import { bodyOf, draftOf, emptyDraft, forget, keep, stored } from "../draft.js";
import { Icon } from "../icons.js";
import { number, t, tn } from "../i18n.js";
import { Remedy } from "../post-parts.js";
import { go, to } from "../router.js";
import { accounts, loadBasics, loadPlatforms, may, networkName, profiles, zone } from "../store.js";
import { Time, wallTime, zoneLabel } from "../time.js";
import { useAction, useLoad } from "../hooks.js";
import { Avatar } from "../components/avatar.js";
import { Button, LinkButton } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { Field } from "../components/field.js";
import { Loaded } from "../components/loaded.js";
import { Card, Page } from "../components/page.js";
import { ProblemBox } from "../components/problem-box.js";
import { toast } from "../components/toasts.js";
import { Files, keptOf } from "../files.js";
import { clockNote, resolve } from "../zones.js";

/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */
/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
/** @typedef {import("signalpost/api").Schemas["PostValidation"]} PostValidation */
const CHECK_MS = 400;

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

/** What the service says about the draft, asked again when typing pauses. @param {Draft} draft */
function useCheck(draft) {
  const [result, setResult] = useState(
    /** @type {{checked: PostValidation | null, problem: unknown}} */ ({ checked: null, problem: null }),
  );
  const body = useMemo(
    () => JSON.stringify(bodyOf(draft, draft.when === "schedule" && !draft.at ? "draft" : "check")),
    [draft],
  );
  useEffect(() => {
    if (!draft.accountIds.length || !(draft.text || draft.media.length)) {
      setResult({ checked: null, problem: null });
      return undefined;
    }
    const aborted = new AbortController();
    const timer = setTimeout(() => {
      const { id: _, ...content } = JSON.parse(body);
      send(
        "/posts/validate",
        { ...content, profileId: draft.profileId },
        { signal: aborted.signal, key: "" },
      ).then(
        (checked) => setResult({ checked, problem: null }),
        (problem) => aborted.signal.aborted || setResult({ checked: null, problem }),
      );
    }, CHECK_MS);
    return () => {
      clearTimeout(timer);
      aborted.abort();
    };
  }, [body]);
  return result;
}

/** @param {{first: Draft}} props */
function Editor({ first }) {
  const [draft, setDraft] = useState(first);
  const [busy, setBusy] = useState("");
  const [refused, setRefused] = useState(/** @type {unknown} */ (null));
  const [uploading, setUploading] = useState(0);
  const sending = useRef({ body: "", key: "" });
  const { checked, problem } = useCheck(draft);
  const own = usable(draft.profileId);
  const change = (/** @type {Partial<Draft>} */ values) =>
    setDraft((/** @type {Draft} */ old) => {
      const changed = { ...old, ...values };
      keep(changed);
      return changed;
    });

  /**
   * Send it; a repetition of the same content has the same key, so it never becomes two posts.
   * @param {"draft" | "send"} purpose
   * @param {{isDuplicate?: boolean, version?: number}} [decided]
   */
  const submit = async (purpose, { isDuplicate = false, version = draft.version } = {}) => {
    if (busy || uploading) return;
    const body = {
      ...bodyOf(draft, draft.failed ? "text" : purpose),
      ...(isDuplicate ? { allowDuplicate: true } : {}),
    };
    const text = JSON.stringify(body);
    if (sending.current.body !== text) sending.current = { body: text, key: newKey() };
    setBusy(purpose);
    setRefused(null);
    try {
      const saved = draft.id
        ? await patch(`/posts/${draft.id}`, body, { headers: { "If-Match": `"${version}"` } })
        : await persist(body);
      if (draft.failed && purpose === "send")
        await send(`/queue/submit/${draft.id}`, {}, { key: sending.current.key });
      forget(draft.id);
      const done =
        purpose === "draft"
          ? t("Draft saved.")
          : saved.approval.state === "pending"
            ? t("Approval is requested.")
            : saved.scheduledAt && draft.when !== "now"
              ? t("Scheduled.")
              : saved.held
                ? ""
                : t("On its way.");
      toast([done, purpose === "send" && saved.held && saved.heldMessage].filter(Boolean).join(" "));
      go(purpose === "draft" ? `compose/${saved.id}` : `posts/${saved.id}`, undefined, {
        replace: purpose === "draft",
      });
    } catch (error) {
      setRefused(error);
    } finally {
      setBusy("");
    }
  };
  /**
   * Until the service has answered: the network may be away for long.
   * @param {ReturnType<typeof bodyOf>} body
   * @returns {Promise<Post>}
   */
  const persist = async (body) => {
    for (;;) {
      try {
        return await send("/posts", body, { key: sending.current.key });
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== "offline") throw error;
      }
    }
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (!(event.ctrlKey || event.metaKey) || (event.key !== "Enter" && event.key !== "s")) return;
    event.preventDefault();
    void submit(event.key !== "Enter" ? "draft" : "send");
  };
  const errorAt = (/** @type {string} */ path) =>
    refused instanceof Problem
      ? refused.issues.find((issue) => issue.path === path || issue.path.startsWith(`${path}/`))?.message
      : undefined;
  if (!profiles.value?.length)
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
  const waits = Boolean(busy) && !online.value;
  const verb =
    draft.when === "now" ? t("Publish now") : draft.when === "slot" ? t("Add to the queue") : t("Schedule");
  return html`
    <${Page}
      wide
      title=${draft.id ? t("Edit the post") : t("Write a post")}
      actions=${
        html`
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
            disabled=${!draft.accountIds.length || uploading > 0}
            onClick=${() => submit("send")}
          >
            ${may("posts:publish") ? verb : t("Ask for approval")}
          <//>
        `
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
          ${profiles.value.length > 1 && !draft.id && html`
            <${Field}
              label=${t("Profile")}
              options=${profiles.value.map((candidate) => [candidate.id, candidate.name])}
              value=${draft.profileId}
              onInput=${(/** @type {string} */ value) =>
                change({
                  profileId: value,
                  accountIds: [],
                  variants: {},
                  timezone:
                    profiles.value?.find((candidate) => candidate.id === value)?.timezone ?? zone.value,
                })
              }
            />
          `}
          ${!draft.failed && html`<${Accounts} own=${own} draft=${draft} change=${change} />`}
          <${Texts} draft=${draft} own=${own} change=${change} checked=${checked} errorAt=${errorAt} />
          <${Files}
            files=${draft.media}
            profileId=${draft.profileId}
            onChange=${(/** @type {Draft["media"]} */ media) => change({ media })}
            onUploading=${setUploading}
            errorAt=${errorAt}
          />
          ${!draft.failed && html`<${When} draft=${draft} change=${change} errorAt=${errorAt} />`}
          <${More} draft=${draft} change=${change} errorAt=${errorAt} />
        </div>
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
      </div>
    <//>
  `;
}

/** @typedef {(values: Partial<Draft>) => void} Change */
/** @typedef {(path: string) => string | undefined} ErrorAt what was refused at a field */

/**
 * Why it was not taken, with what can be decided: a duplicate is published anyway, a newer version is loaded
 * or replaced.
 * @param {{
 *   problem: any, draft: Draft,
 *   submit: (purpose: "draft" | "send", decided: {isDuplicate?: boolean, version?: number}) => void,
 *   replace: (draft: Draft) => void
 * }} props
 */
function Refusal({ problem, draft, submit, replace }) {
  const newest = () => get(`/posts/${draft.id}`);
  const [loading, load] = useAction(async () => replace(draftOf(await newest(), false)));
  const [keeping, keepMine] = useAction(async () => submit("draft", { version: (await newest()).version }));
  const original = problem.code === "duplicate_content" && problem.document.existingPostId;
  return html`
    <${ProblemBox} problem=${problem} />
    ${original && html`
      <p class="actions">
        <${LinkButton} href=${to(`posts/${original}`)}>${t("Look at the other post")}<//>
        <${Button} icon="send" onClick=${() => submit("send", { isDuplicate: true })}>
          ${t("Publish it all the same")}
        <//>
      </p>
    `}
    ${problem.status === 412 && html`
      <p class="actions">
        <${Button} busy=${loading} onClick=${load}>
          ${t("Load what was saved")}
        <//>
        <${Button} busy=${keeping} onClick=${keepMine}>
          ${t("Replace it with this")}
        <//>
      </p>
    `}
  `;
}

/** @param {{own: PlatformAccount[], draft: Draft, change: Change}} props */
function Accounts({ own, draft, change }) {
  if (!own.length)
    return html`
      <${Empty}
        title=${t("No accounts in this profile")}
        icon="accounts"
        action=${
          html`<${LinkButton} href=${to("accounts")} kind="primary">
            ${t("Connect an account")}
          <//>`
        }
      >
        ${t("Connect an account of a network, or the sandbox. What you write is kept.")}
      <//>
    `;
  const toggle = (/** @type {string} */ id) =>
    change({
      accountIds: draft.accountIds.includes(id)
        ? draft.accountIds.filter((accountId) => accountId !== id)
        : [...draft.accountIds, id],
    });
  return html`
    <div class="field" role="group" aria-labelledby="accounts-label">
      <div class="legend" id="accounts-label">
        ${t("Accounts")}
      </div>
      <div class="chips">
        ${own.map((account) => {
          const chosen = draft.accountIds.includes(account.id);
          return html`
            <button
              type="button"
              class="chip"
              key=${account.id}
              aria-pressed=${chosen ? "true" : "false"}
              onClick=${() => toggle(account.id)}
            >
              <${Avatar} name=${networkName(account.platform)} />
              <span>
                <strong>${account.username}</strong>
                <span class="soft">${networkName(account.platform)}</span>
              </span>
              ${chosen && html`<${Icon} name="check" />`}
            </button>
          `;
        })}
      </div>
    </div>
  `;
}

/**
 * @param {{
 *   draft: Draft, own: PlatformAccount[], change: Change, checked: PostValidation | null, errorAt: ErrorAt
 * }} props
 */
function Texts({ draft, own, change, checked, errorAt }) {
  const [tab, setShown] = useState("");
  const chosen = own.filter((account) => draft.accountIds.includes(account.id));
  // Of a post that failed, accounts and their own texts stay.
  const hasVariants = chosen.length > 1 && !draft.failed;
  const current = chosen.some((account) => account.id === tab) ? tab : "";
  const variant = draft.variants[current];
  const set = (/** @type {string} */ text) =>
    current ? change({ variants: { ...draft.variants, [current]: text } }) : change({ text });
  const drop = () => {
    const { [current]: _, ...variants } = draft.variants;
    change({ variants });
  };
  return html`
    <div class="texts">
      ${hasVariants && html`
        <div class="segmented" role="group" aria-label=${t("Which text")}>
          <${Button}
            kind="quiet"
            aria-pressed=${current === "" ? "true" : "false"}
            onClick=${() => setShown("")}
          >
            ${t("All accounts")}
          <//>
          ${chosen.map((account) => html`
            <${Button}
              kind="quiet"
              key=${account.id}
              aria-pressed=${account.id === current ? "true" : "false"}
              onClick=${() => setShown(account.id)}
            >
              ${account.username}
              ${draft.variants[account.id] !== undefined ? " •" : ""}
            <//>
          `)}
        </div>
      `}
      <${Field}
        label=${
          current
            ? t("Text for {account}", {
                account: chosen.find((account) => account.id === current)?.username ?? "",
              })
            : t("Text")
        }
        rows=${9}
        dir="auto"
        autofocus
        value=${current ? (variant ?? draft.text) : draft.text}
        onInput=${set}
        error=${errorAt(current ? `/targets/${draft.accountIds.indexOf(current)}/text` : "/text")}
        hint=${
          html`<span class="counters">
            ${chosen.map((account) => html`
              <${Counter} key=${account.id} account=${account} checked=${checked} />
            `)}
          </span>`
        }
      />
      ${current && variant !== undefined && html`
        <${Button} kind="quiet" icon="close" onClick=${drop}>
          ${t("Use the text of all accounts")}
        <//>
      `}
    </div>
  `;
}

/** @param {{account: PlatformAccount, checked: PostValidation | null}} props */
function Counter({ account, checked }) {
  const target = checked?.targets.find((candidate) => candidate.accountId === account.id);
  if (!target) return null;
  const left = target.limit - target.textLength;
  return html`
    <span
      class=${left < 0 ? "counter bad" : left < target.limit * 0.1 ? "counter warn" : "counter"}
      title=${t("Counted as the network counts")}
    >
      ${networkName(account.platform)} ${number(target.textLength)}/${number(target.limit)}
      ${left < 0 ? ` · ${tn(-left, "{n} too many", "{n} too many")}` : ""}
    </span>
  `;
}

/** @param {{draft: Draft, change: Change, errorAt: ErrorAt}} props */
function When({ draft, change, errorAt }) {
  const queues = useLoad(() => all("/queues", { profileId: draft.profileId }, 50), [draft.profileId]);
  const queueId =
    draft.queueId || queues.data?.find((queue) => queue.isDefault)?.id || queues.data?.[0]?.id || "";
  const slots = useLoad(
    async () => (draft.when === "slot" && queueId ? get(`/queues/${queueId}/slots`, { count: 1 }) : null),
    [queueId, draft.when],
  );
  const choices = /** @type {["now" | "slot" | "schedule", string][]} */ ([
    ["now", t("Now")],
    ["schedule", t("At a time")],
    ...(queues.data?.length ? [["slot", t("Next free slot")]] : []),
  ]);
  const zones = [...new Set([draft.timezone, zone.value, "UTC", ...Intl.supportedValuesOf("timeZone")])];
  return html`
    <fieldset class="when">
      <legend class="legend">${t("When")}</legend>
      <div class="segmented">
        ${choices.map(([key, name]) => html`
          <label class="button quiet radio">
            <input
              type="radio"
              name="when"
              value=${key}
              checked=${draft.when === key}
              onChange=${() =>
                change({
                  when: key,
                  ...(key === "schedule" && !draft.at
                    ? { at: wallTime(new Date(Date.now() + 3_600_000), draft.timezone) }
                    : {}),
                })
              }
            />
            <span>${name}</span>
          </label>
        `)}
      </div>
      ${draft.when === "schedule" && html`
        <div class="row">
          <${Field}
            label=${t("Date and time")}
            type="datetime-local"
            value=${draft.at}
            min=${wallTime(new Date(), draft.timezone)}
            onInput=${(/** @type {string} */ at) => change({ at })}
            hint=${zoneLabel(draft.timezone, draft.at ? resolve(draft.at, draft.timezone) : new Date())}
            error=${errorAt("/scheduledAt") ?? (draft.at ? clockNote(draft.at, draft.timezone) : undefined)}
          />
          <${Field}
            label=${t("Time zone")}
            options=${zones.map((name) => [name, name])}
            value=${draft.timezone}
            onInput=${(/** @type {string} */ timezone) => change({ timezone })}
          />
        </div>
      `}
      ${draft.when === "slot" && html`
        <div class="row">
          ${queues.data?.length > 1 && html`
            <${Field}
              label=${t("Queue")}
              options=${queues.data.map((queue) => [queue.id, queue.name])}
              value=${queueId}
              onInput=${(/** @type {string} */ value) => change({ queueId: value })}
            />
          `}
          <p>
            ${slots.data?.nextFreeAt ? html`
              ${t("Next free slot:")}${" "}
              <strong>
                <${Time} at=${slots.data.nextFreeAt} timeZone=${slots.data.timezone} />
              </strong>${" "}
              <span class="soft">${zoneLabel(slots.data.timezone, new Date(slots.data.nextFreeAt))}</span>
            ` : (
              t("No slot is free.")
            )}
          </p>
        </div>
      `}
    </fieldset>
  `;
}

/** @param {{draft: Draft, change: Change, errorAt: ErrorAt}} props */
function More({ draft, change, errorAt }) {
  const filled = [draft.firstComment, draft.link, draft.tags, draft.title, draft.campaign].filter(
    Boolean,
  ).length;
  const field = (
    /** @type {"firstComment" | "link" | "tags" | "title" | "campaign"} */ name,
    /** @type {string} */ label,
    /** @type {any} */ more = {},
  ) => html`
    <${Field}
      label=${label}
      value=${draft[name]}
      error=${errorAt(`/${name}`)}
      onInput=${(/** @type {string} */ value) => change({ [name]: value })}
      ...${more}
    />
  `;
  return html`
    <details class="more" open=${filled > 0}>
      <summary>${t("More: first comment, link, tags, title")}</summary>
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
    </details>
  `;
}

/**
 * What the service would answer.
 * @param {{checked: PostValidation | null, problem: unknown, draft: Draft}} props
 */
function Checks({ checked, problem, draft }) {
  if (problem) return html`<${ProblemBox} problem=${problem} />`;
  if (!checked)
    return html`
      <div class="notice">
        <${Icon} name="dot" />
        <p>
          ${draft.accountIds.length
            ? t("Write something, or add a file: counters, checks and previews appear as you type.")
            : t("Choose at least one account.")}
        </p>
      </div>
    `;
  // Said at the field.
  const warnings = checked.warnings.filter((warning) => warning.code !== "schedule.dst");
  return html`
    <div role="status">
      ${checked.errors.map((error) => html`
        <div class="notice bad">
          <${Icon} name="cross" />
          <div>
            <p>${error.message ?? error.userMessage}</p>
            ${error.remediation && html`<p class="small">${error.remediation}</p>`}
          </div>
        </div>
      `)}
      ${warnings.map((warning) => html`
        <div class="notice warn">
          <${Icon} name="warn" />
          <div>
            <p>${warning.message}</p>
            <${Remedy} warning=${warning} />
          </div>
        </div>
      `)}
      ${checked.valid && !warnings.length && html`
        <div class="notice ok">
          <${Icon} name="check" />
          <p>${tn(checked.targets.length, "Ready for {n} account.", "Ready for {n} accounts.")}</p>
        </div>
      `}
    </div>
  `;
}

/** @param {{draft: Draft, account: any, checked: PostValidation | null}} props */
function Preview({ draft, account, checked }) {
  if (!account) return null;
  const text = draft.variants[account.id] ?? draft.text;
  const target = checked?.targets.find((candidate) => candidate.accountId === account.id);
  const over = target && target.textLength > target.limit;
  return html`
    <${Card} class="preview">
      <div class="name">
        <${Avatar} name=${networkName(account.platform)} />
        <span>
          <strong>${account.displayName || account.username}</strong>
          <br />
          <span class="soft">
            @${account.username} · ${networkName(account.platform)}
          </span>
        </span>
      </div>
      <p class=${over ? "post-text over" : "post-text"} dir="auto">
        ${text || html`<span class="soft">${t("No text")}</span>`}
      </p>
      ${draft.media.length > 0 && html`
        <div class=${`thumbs many${Math.min(draft.media.length, 4)}`}>
          ${draft.media.slice(0, 4).map((file) =>
            file.preview ? html`
              <img class="thumb" key=${file.mediaId} src=${file.preview} alt=${file.altText} />
            ` : html`
              <span class="thumb soft" key=${file.mediaId}>
                <${Icon} name="image" label=${file.name || t("File")} />
              </span>
            `,
          )}
        </div>
      `}
      ${target && target.derivedMedia.length > 0 && html`
        <p class="soft small">
          ${tn(
            target.derivedMedia.length,
            "{n} file is converted for this network.",
            "{n} files are converted for this network.",
          )}
        </p>
      `}
      ${draft.firstComment && html`
        <p class="soft small">
          ${t("First comment:")} ${draft.firstComment}
        </p>
      `}
    <//>
  `;
}
