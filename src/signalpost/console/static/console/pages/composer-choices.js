// What an account can choose now, as its network says: its boards, its playlists, who may see a post.
import { html, useState } from "../html.js";
import { get } from "../api.js";
import { Icon } from "../icons.js";
import { t } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { networkName } from "../store.js";
import { sentencesOf } from "../words.js";
import { Button } from "../components/button.js";
import { Field } from "../components/field.js";
import { Option, helpOf, labelOf, noneOf } from "./composer-option.js";
import { wordsOf } from "./composer-parts.js";

/** @typedef {import("signalpost/api").Schemas["OptionChoice"]} OptionChoice */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */
/** @typedef {import("signalpost/api").Schemas["PlatformOption"]} PlatformOption */
/** @typedef {(key: string) => unknown} ValueOf */

/** From how many choices on they can be searched. */
const SEARCHED_FROM = 12;

/** What was asked while the page is open: several parts and visits of a panel need the same. */
const answers = /** @type {Map<string, Promise<Record<string, OptionChoice[]>>>} */ (new Map());

/** @param {string} accountId @param {{option?: string, of?: string}} [query] */
function ask(accountId, query = {}) {
  const key = JSON.stringify([accountId, query]);
  const answer =
    answers.get(key) ??
    get(`/platforms/accounts/${accountId}/choices`, query).then(({ data }) =>
      Object.fromEntries(data.map(({ option, choices }) => [option, choices])),
    );
  answers.set(key, answer);
  answer.catch(() => answers.delete(key));
  return answer;
}

/**
 * The options of one account that its network knows the choices of.
 * @param {{
 *   account: PlatformAccount, isAlone: boolean, options: PlatformOption[], valueOf: ValueOf,
 *   set: (key: string, value: unknown) => void, errorAt: import("../draft.js").ErrorAt
 * }} props
 */
export function Live({ account, isAlone, options, valueOf, set, errorAt }) {
  const loaded = useLoad(() => ask(account.id), [account.id]);
  const fields = options.map((option) => {
    const props = {
      key: option.key,
      option,
      value: valueOf(option.key),
      set: (/** @type {unknown} */ value) => set(option.key, value),
      error: errorAt(option.key),
    };
    return option.dependsOn ? html`
      <${Dependent}
        ...${props}
        account=${account}
        of=${valueOf(option.dependsOn)}
        on=${options.find((candidate) => candidate.key === option.dependsOn)}
      />
    ` : html`
      <${LiveField}
        ...${props}
        loading=${loaded.loading && !loaded.data}
        choices=${loaded.data?.[option.key]}
      />
    `;
  });
  return html`
    <div role="group" aria-label=${account.username}>
      ${!isAlone && html`<p class="legend">@${account.username}</p>`}
      ${loaded.problem && html`
        <${NotKnown} account=${account} problem=${loaded.problem} retry=${loaded.reload} />
      `}
      ${fields}
    </div>
  `;
}

/** @param {{account: PlatformAccount, problem: unknown, retry: () => void}} props */
function NotKnown({ account, problem, retry }) {
  const sentences = sentencesOf(problem);
  return html`
    <div class="notice warn" role="status">
      <${Icon} name="warn" />
      <div class="grow">
        <p>
          ${t("{network} does not say now what {account} can choose. You can type it, or ask again.", {
            network: networkName(account.platform),
            account: account.username,
          })}
        </p>
        <p class="small">${[sentences.happened, sentences.todo].filter(Boolean).join(" ")}</p>
      </div>
      <${Button} icon="retry" onClick=${retry}>
        ${t("Ask again")}
      <//>
    </div>
  `;
}

/**
 * An option whose choices depend on another one: the sections of a board.
 * @param {{
 *   account: PlatformAccount, option: PlatformOption, on: PlatformOption, of: unknown, value: unknown,
 *   set: (value: unknown) => void, error: string | undefined
 * }} props
 */
function Dependent({ account, option, on, of, value, set, error }) {
  const loaded = useLoad(
    async () =>
      of
        ? ask(account.id, { option: option.key, of: String(of) })
        : /** @type {Record<string, OptionChoice[]>} */ ({}),
    [account.id, of],
  );
  if (!of)
    return html`
      <${Field}
        label=${labelOf(option)}
        hint=${t("Choose this first: {label}", { label: t(on.label) })}
        options=${[["", noneOf(option)]]}
        disabled
      />
    `;
  return html`
    ${loaded.problem && html`
      <${NotKnown} account=${account} problem=${loaded.problem} retry=${loaded.reload} />
    `}
    <${LiveField}
      option=${option}
      value=${value}
      set=${set}
      error=${error}
      loading=${loaded.loading}
      choices=${loaded.problem ? undefined : loaded.data?.[option.key]}
    />
  `;
}

/**
 * @param {{
 *   option: PlatformOption, value: unknown, set: (value: unknown) => void, error: string | undefined,
 *   loading: boolean, choices: OptionChoice[] | undefined
 * }} props
 */
function LiveField({ option, value, set, error, loading, choices }) {
  const [words, setWords] = useState("");
  const text = String(value ?? "");
  if (option.type === "flag") {
    const reason = choices?.find((choice) => choice.value === "true")?.reason;
    return html`
      <${Option}
        option=${option}
        value=${value}
        set=${set}
        error=${error}
        disabled=${Boolean(reason) && !value}
        help=${reason ? t(reason) : helpOf(option)}
      />
    `;
  }
  if (!choices && !loading)
    return html`<${Option} option=${option} value=${value} set=${set} error=${error} />`;
  const entries = (choices ?? []).map(
    ({ value: choice, label, reason }) =>
      /** @type {[string, string, boolean]} */ ([
        choice,
        [option.type === "choice" ? wordsOf(label) : label, reason && t(reason)].filter(Boolean).join(": "),
        Boolean(reason),
      ]),
  );
  const matches = entries.filter(
    ([choice, label]) => choice === text || label.toLowerCase().includes(words.trim().toLowerCase()),
  );
  const usual = entries.find(([choice]) => choice === String(option.default))?.[1];
  const isKnown = !text || entries.some(([choice]) => choice === text);
  return html`
    ${entries.length >= SEARCHED_FROM && html`
      <${Field}
        type="search"
        label=${t("Search: {label}", { label: t(option.label) })}
        value=${words}
        onInput=${setWords}
        hint=${t("{n} of {count}", { n: matches.length, count: entries.length })}
      />
    `}
    <${Field}
      label=${labelOf(option)}
      hint=${loading ? t("Asking the network…") : helpOf(option)}
      error=${error}
      aria-busy=${loading ? "true" : undefined}
      options=${[["", noneOf(option, usual)], ...(isKnown ? [] : [[text, text]]), ...matches]}
      value=${text}
      onInput=${(/** @type {string} */ choice) => set(choice || undefined)}
    />
  `;
}
