// What each network lets one choose, from its own description: who can see a post, on which board it goes.
import { html, useState } from "../html.js";
import { loadTexts, t } from "../i18n.js";
import { networkName, platforms } from "../store.js";
import { Live } from "./composer-choices.js";
import { Option } from "./composer-option.js";
import { NetworkLogo } from "../components/network-logo.js";

await Promise.all(["options", "options-sites", "options-messengers", "values"].map(loadTexts));

/** @typedef {import("../draft.js").Change} Change */
/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("../draft.js").ErrorAt} ErrorAt */
/** @typedef {import("../draft.js").Own} Own */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */
/** @typedef {import("signalpost/api").Schemas["PlatformOption"]} PlatformOption */
/** @typedef {import("signalpost/api").Schemas["PostValidation"]} PostValidation */

/**
 * A part for each network of the chosen accounts that has options.
 * @param {{
 *   draft: Draft, own: PlatformAccount[], change: Change, errorAt: ErrorAt, checked: PostValidation | null
 * }} props
 */
export default function NetworkOptions({ draft, own, change, errorAt, checked }) {
  const chosen = own.filter((account) => draft.accountIds.includes(account.id));
  const keys = [...new Set(chosen.map((account) => account.platform))];
  return keys.map((platform) => {
    const options = shownOf(platform);
    if (!options.length) return null;
    const accounts = chosen.filter((account) => account.platform === platform);
    return html`
      <${Panel}
        key=${platform}
        platform=${platform}
        options=${options}
        accounts=${accounts}
        draft=${draft}
        change=${change}
        errorAt=${errorAt}
        isRefused=${checked?.errors.some((error) => String(error.path).startsWith(`/options/${platform}/`))}
      />
    `;
  });
}

/**
 * The options that have fields here; a package may have objects that only programs can send.
 * @param {string} platform
 */
const shownOf = (platform) =>
  (platforms.value?.find((candidate) => candidate.platform === platform)?.options ?? []).filter(
    (option) => !option.type.startsWith("object") || option.parts.length > 0,
  );

/** @param {{platform: string}} props */
const Name = ({ platform }) => html`
  <summary>
    <${NetworkLogo} platform=${platform} /> ${t("Options of {network}", { network: networkName(platform) })}
  </summary>
`;

/**
 * @param {{
 *   platform: string, options: PlatformOption[], accounts: PlatformAccount[], draft: Draft, change: Change,
 *   errorAt: ErrorAt, isRefused: boolean | undefined
 * }} props
 */
function Panel({ platform, options, accounts, draft, change, errorAt, isRefused }) {
  const values = draft.options?.[platform] ?? {};
  const ownValues = Object.assign({}, ...accounts.map(({ id }) => draft.own?.[id]?.options));
  const isNeeded =
    isRefused ||
    Object.keys({ ...values, ...ownValues }).length > 0 ||
    options.some((option) => option.required);
  const [isOpen, setOpen] = useState(isNeeded);
  /** What holds for one account, or for all of them. @param {string} key @param {string} [accountId] */
  const valueOf = (key, accountId) =>
    (accountId ? draft.own?.[accountId]?.options?.[key] : ownValues[key]) ?? values[key];
  const set = (
    /** @type {string} */ key,
    /** @type {unknown} */ value,
    /** @type {string} */ accountId,
  ) => {
    const { [key]: _, ...others } = values;
    const isShared = !accountId || accounts.length === 1;
    const shared = isShared && value !== undefined ? { ...others, [key]: value } : others;
    const ownOf = (/** @type {string} */ id) =>
      isShared ? undefined : id === accountId ? value : valueOf(key, id);
    // What is chosen for all accounts of the network replaces their own values, which would win.
    const own = accounts.map(({ id }) => [id, withOption(draft.own?.[id] ?? {}, key, ownOf(id))]);
    change({
      options: { ...draft.options, [platform]: shared },
      own: { ...draft.own, ...Object.fromEntries(own) },
    });
  };
  const live = options.filter((option) => option.source);
  return html`
    <details
      class="more"
      open=${isOpen || isNeeded}
      onToggle=${(/** @type {{currentTarget: HTMLDetailsElement}} */ event) =>
        setOpen(event.currentTarget.open)
      }
    >
      <${Name} platform=${platform} />
      ${(isOpen || isNeeded ? accounts : []).map((account) =>
        live.length ? html`
          <${Live}
            key=${account.id}
            account=${account}
            isAlone=${accounts.length === 1}
            options=${live}
            valueOf=${(/** @type {string} */ key) => valueOf(key, account.id)}
            set=${(/** @type {string} */ key, /** @type {unknown} */ value) => set(key, value, account.id)}
            errorAt=${(/** @type {string} */ key) =>
              errorAt(`/targets/${draft.accountIds.indexOf(account.id)}/options/${key}`) ??
              errorAt(`/options/${platform}/${key}`)
            }
          />
        ` : null,
      )}
      ${options.map((option) =>
        option.source ? null : html`
          <${Option}
            key=${option.key}
            option=${option}
            value=${valueOf(option.key)}
            set=${(/** @type {unknown} */ value) => set(option.key, value, "")}
            error=${errorAt(`/options/${platform}/${option.key}`)}
          />
        `,
      )}
    </details>
  `;
}

/** @param {Own} own @param {string} key @param {unknown} value undefined: none of its own */
function withOption(own, key, value) {
  const { [key]: _, ...others } = /** @type {Record<string, unknown>} */ (own.options ?? {});
  const options = value === undefined ? others : { ...others, [key]: value };
  return own.options || value !== undefined ? { ...own, options } : own;
}
