// The further posts of a thread, one below the other.
import { html, useRef } from "../html.js";
import { newKey } from "../api.js";
import { Files } from "../files.js";
import { t } from "../i18n.js";
import { networkName } from "../store.js";
import { Button } from "../components/button.js";
import { Field } from "../components/field.js";
import { lazy } from "../components/lazy.js";
import { Counters, Crossing } from "./composer-counters.js";
import { Mention } from "./composer-mention.js";
import { Insert } from "./composer-texts.js";

/** @typedef {import("../draft.js").Change} Change */
/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("../draft.js").ErrorAt} ErrorAt */
/** @typedef {import("../draft.js").Part} Part */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */
/** @typedef {import("signalpost/api").Schemas["PostValidation"]} PostValidation */

const PARTS_MAX = 50;
const Cover = lazy(() => import("./composer-cover.js"), 1);

/**
 * @param {{
 *   draft: Draft, chosen: PlatformAccount[], change: Change, errorAt: ErrorAt,
 *   checked: PostValidation | null, onUploading: (part: string | number, count: number) => void
 * }} props
 */
export default function Thread({ draft, chosen, change, errorAt, checked, onUploading }) {
  const thread = draft.thread ?? [];
  const show = (/** @type {Part[]} */ changed) => change({ thread: changed });
  const without = chosen.filter((account) => !account.capabilities.thread);
  return html`
    <section aria-label=${t("Thread")}>
      ${thread.map((part, index) => html`
        <${One}
          key=${part.key ?? index}
          part=${part}
          index=${index}
          draft=${draft}
          chosen=${chosen}
          checked=${checked}
          errorAt=${errorAt}
          set=${(/** @type {Partial<Part>} */ values) => show(thread.with(index, { ...part, ...values }))}
          remove=${() => show(thread.toSpliced(index, 1))}
          forward=${
            index > 0 && (() => show(thread.toSpliced(index - 1, 2, thread[index], thread[index - 1])))
          }
          onUploading=${(/** @type {number} */ count) => onUploading(part.key ?? index, count)}
        />
      `)}
      ${thread.length > 0 && without.length > 0 && html`
        <p class="hint">
          ${t("No threads: {networks}.", {
            networks: [...new Set(without.map((account) => networkName(account.platform)))].join(", "),
          })}
        </p>
      `}
      ${thread.length < PARTS_MAX && html`
        <${Button}
          kind="quiet"
          icon="plus"
          onClick=${() => show([...thread, { key: newKey(), text: "", media: [] }])}
        >
          ${t("Add a part to the thread")}
        <//>
      `}
    </section>
  `;
}

/**
 * @param {{
 *   part: Part, index: number, draft: Draft, chosen: PlatformAccount[], checked: PostValidation | null,
 *   errorAt: ErrorAt, set: (values: Partial<Part>) => void, remove: () => void,
 *   forward: false | (() => void), onUploading: (count: number) => void
 * }} props
 */
function One({ part, index, draft, chosen, checked, errorAt, set, remove, forward, onUploading }) {
  const n = index + 2;
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  return html`
    <div class="part" role="group" ref=${place} aria-label=${t("Part {n}", { n })}>
      <${Field}
        label=${t("Text of part {n}", { n })}
        rows=${4}
        dir="auto"
        data-steps="true"
        value=${part.text}
        onInput=${(/** @type {string} */ text) => set({ text })}
        error=${errorAt(`/thread/${index}/text`)}
        hint=${html`<${Counters} accounts=${chosen} checked=${checked} part=${index} />`}
      />
      <${Mention} place=${place} accounts=${chosen} draft=${draft} />
      <${Crossing} accounts=${chosen} checked=${checked} part=${index} />
      <${Insert} draft=${draft} />
      <${Files}
        files=${part.media}
        profileId=${draft.profileId}
        onChange=${(/** @type {Draft["media"]} */ media) => set({ media })}
        onUploading=${onUploading}
        ofVideo=${Cover}
        where=${{ draft, accounts: chosen }}
        label=${t("Files of part {n}", { n })}
        errorAt=${(/** @type {string} */ path) => errorAt(`/thread/${index}${path}`)}
      />
      <p class="actions">
        ${forward && html`
          <${Button} kind="quiet" onClick=${forward} aria-label=${t("Move part {n} forward", { n })}>
            ↑
          <//>
        `}
        <${Button} kind="quiet" icon="trash" onClick=${remove}>
          ${t("Remove part {n}", { n })}
        <//>
      </p>
    </div>
  `;
}
