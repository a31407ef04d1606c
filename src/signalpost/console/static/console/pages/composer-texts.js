// Where a post goes, and what it says there.
import { html, useEffect, useRef, useState } from "../html.js";
import { hasExtension } from "../api.js";
import { Files } from "../files.js";
import { Icon } from "../icons.js";
import { insertText } from "../insert-text.js";
import { t } from "../i18n.js";
import { route, to } from "../router.js";
import { may, networkName } from "../store.js";
import { NetworkLogo } from "../components/network-logo.js";
import { Button, LinkButton } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { Field } from "../components/field.js";
import { lazy, lazyDialog } from "../components/lazy.js";
import { Counters, Crossing } from "./composer-counters.js";
import { Mention } from "./composer-mention.js";

/** @typedef {import("../draft.js").Change} Change */
/** @typedef {import("../draft.js").ErrorAt} ErrorAt */
/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */
/** @typedef {import("signalpost/api").Schemas["PostValidation"]} PostValidation */

const Captions = lazyDialog(() => import("./composer-captions.js"));
const Cover = lazy(() => import("./composer-cover.js"), 1);
const EmojiDialog = lazyDialog(() => import("./composer-emoji.js"));
const Snippets = lazyDialog(() => import("./composer-snippets.js"));
const Shared = lazyDialog(() => import("./composer-shared.js"));

/** @param {{own: PlatformAccount[], draft: Draft, change: Change}} props */
export function Accounts({ own, draft, change }) {
  if (!own.length)
    return html`
      <${Empty}
        title=${t("This client has no accounts")}
        icon="accounts"
        action=${
          may("accounts:write") && html`
            <${LinkButton} href=${to("accounts", { connect: "1" })} kind="primary">
              ${t("Connect an account")}
            <//>
          `
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
              <${NetworkLogo} platform=${account.platform} />
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
 *   draft: Draft, own: PlatformAccount[], change: Change, checked: PostValidation | null, errorAt: ErrorAt,
 *   current: string, setCurrent: (accountId: string) => void, undo: import("../html.js").Children
 * }} props `current`: the account whose text is shown; empty: that of all
 */
export function Texts({ draft, own, change, checked, errorAt, current, setCurrent, undo }) {
  const [isRewriting, setRewriting] = useState(false);
  const texts = useRef(/** @type {HTMLElement | null} */ (null));
  const chosen = own.filter((account) => draft.accountIds.includes(account.id));
  // Of a post that failed, accounts and their own texts stay.
  const hasVariants = chosen.length > 1 && !draft.failed;
  const variant = draft.variants[current];
  const set = (/** @type {string} */ text) =>
    current ? change({ variants: { ...draft.variants, [current]: text } }) : change({ text });
  const drop = () => {
    const { [current]: _, ...variants } = draft.variants;
    change({ variants });
  };
  return html`
    <div class="texts" ref=${texts}>
      ${hasVariants && html`
        <${Whose} chosen=${chosen} current=${current} draft=${draft} show=${setCurrent} />
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
        data-steps="true"
        value=${current ? (variant ?? draft.text) : draft.text}
        onInput=${set}
        error=${errorAt(current ? `/targets/${draft.accountIds.indexOf(current)}/text` : "/text")}
        hint=${html`<${Counters} accounts=${chosen} checked=${checked} />`}
      />
      <${Mention}
        place=${texts}
        accounts=${current ? chosen.filter(({ id }) => id === current) : chosen}
        draft=${draft}
        change=${current ? undefined : change}
      />
      <${Crossing} accounts=${chosen} checked=${checked} />
      ${current && variant !== undefined && html`
        <${Button} kind="quiet" icon="close" onClick=${drop}>
          ${t("Use the text of all accounts")}
        <//>
      `}
      ${undo}
      <${EmojiButton} texts=${texts} />
      <${Insert} draft=${draft} />
      ${chosen.length > 0 && draft.text.trim() && html`
        <${Button} kind="quiet" icon="repeat" onClick=${() => setRewriting(true)}>
          ${t("Rewrite…")}
        <//>
      `}
      ${isRewriting && html`
        <${Captions}
          draft=${draft}
          own=${own}
          change=${change}
          onClose=${() => setRewriting(false)}
        />
      `}
    </div>
  `;
}

/** An emoji goes where the cursor was, when the dialog is closed and the text has it again. */
function EmojiButton(/** @type {{texts: {current: HTMLElement | null}}} */ { texts }) {
  const [isOpen, setOpen] = useState(false);
  const [character, setCharacter] = useState("");
  useEffect(() => {
    const field = texts.current?.querySelector("textarea");
    if (character && field) insertText(field, character);
    setCharacter("");
  }, [character]);
  const choose = (/** @type {string} */ choice) => {
    setOpen(false);
    setCharacter(choice);
  };
  return html`
    <${Button} kind="quiet" icon="smile" onClick=${() => setOpen(true)}>
      ${t("Emoji")}
    <//>
    ${isOpen && html`<${EmojiDialog} onChoose=${choose} onClose=${() => setOpen(false)} />`}
  `;
}

/** Inserts a snippet in the text above it. @param {{draft: Draft}} props */
export function Insert({ draft }) {
  const [isOpen, setOpen] = useState(false);
  return html`
    ${hasExtension("snippets") && html`
      <${Button} kind="quiet" icon="plus" onClick=${() => setOpen(true)}>
        ${t("Insert…")}
      <//>
    `}
    ${isOpen && html`<${Snippets} draft=${draft} onClose=${() => setOpen(false)} />`}
  `;
}

/**
 * @param {{
 *   chosen: PlatformAccount[], current: string, draft: Draft, show: (accountId: string) => void
 * }} props
 */
function Whose({ chosen, current, draft, show }) {
  return html`
    <div class="segmented" role="group" aria-label=${t("Which text")}>
      <${Button} kind="quiet" aria-pressed=${current === "" ? "true" : "false"} onClick=${() => show("")}>
        ${t("All accounts")}
      <//>
      ${chosen.map((account) => html`
        <${Button}
          kind="quiet"
          key=${account.id}
          aria-pressed=${account.id === current ? "true" : "false"}
          onClick=${() => show(account.id)}
        >
          <${NetworkLogo} platform=${account.platform} />
          ${networkName(account.platform)} · ${account.username} ${isOwn(draft, account.id) ? " •" : ""}
        <//>
      `)}
    </div>
  `;
}

/**
 * Whether the account gets a text, a title or files of its own.
 * @param {Draft} draft @param {string} accountId
 */
const isOwn = ({ variants, own }, accountId) =>
  variants[accountId] !== undefined || Boolean(own?.[accountId]?.media ?? own?.[accountId]?.title);

/**
 * The files of all accounts, or those of one, with its own title.
 * @param {{
 *   draft: Draft, own: PlatformAccount[], account: PlatformAccount | undefined, change: Change,
 *   errorAt: ErrorAt, onUploading: (count: number) => void
 * }} props
 */
export function PostFiles({ draft, own: all, account, change, errorAt, onUploading }) {
  const [isShared] = useState(() => Boolean(route.peek().query.shared));
  const chosen = all.filter(({ id }) => draft.accountIds.includes(id));
  if (!account)
    return html`
      <${Files}
        files=${draft.media}
        profileId=${draft.profileId}
        onChange=${(/** @type {Draft["media"]} */ media) => change({ media })}
        onUploading=${onUploading}
        ofVideo=${Cover}
        where=${{ draft, accounts: chosen }}
        first=${isShared && Shared}
        errorAt=${errorAt}
      />
    `;
  const own = draft.own?.[account.id] ?? {};
  const set = (/** @type {import("../draft.js").Own} */ values) =>
    change({ own: { ...draft.own, [account.id]: values } });
  const { media, title, ...others } = own;
  const path = `/targets/${draft.accountIds.indexOf(account.id)}`;
  return html`
    ${media ? html`
      <${Files}
        key=${account.id}
        files=${media}
        profileId=${draft.profileId}
        onChange=${(/** @type {Draft["media"]} */ changed) => set({ ...own, media: changed })}
        onUploading=${onUploading}
        ofVideo=${Cover}
        where=${{ draft, accounts: [account] }}
        errorAt=${(/** @type {string} */ at) => errorAt(path + at)}
      />
      <${Button}
        kind="quiet"
        icon="close"
        onClick=${() => set(title === undefined ? others : { ...others, title })}
      >
        ${t("Use the files of all accounts")}
      <//>
      ` : html`
      <${Button}
        kind="quiet"
        icon="image"
        onClick=${() => set({ ...own, media: [...draft.media] })}
      >
        ${t("Other files for {account}", { account: account.username })}
      <//>
    `}
    <${Field}
      label=${t("Title for {account}", { account: account.username })}
      value=${title ?? ""}
      data-steps="true"
      placeholder=${draft.title}
      error=${errorAt(`${path}/title`)}
      onInput=${(/** @type {string} */ typed) =>
        set({ ...others, ...(media ? { media } : {}), ...(typed ? { title: typed } : {}) })
      }
    />
  `;
}
