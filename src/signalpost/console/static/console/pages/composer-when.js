// When a post is published; and what few posts have, such as a first comment.
import { html, useState } from "../html.js";
import { all } from "../api.js";
import { t } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { wallTime } from "../time.js";
import { lazy } from "../components/lazy.js";

const AtTime = lazy(() => import("./composer-time.js"), 2);
const NextSlot = lazy(() => import("./composer-slot.js"), 1);
const MoreFields = lazy(() => import("./composer-more.js"));

/** @typedef {import("../draft.js").Change} Change */
/** @typedef {import("../draft.js").ErrorAt} ErrorAt */
/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("signalpost/api").Schemas["PostValidation"]} PostValidation */

const Repeats = lazy(() => import("./composer-repeat.js"), 1);

/**
 * @param {{draft: Draft, change: Change, errorAt: ErrorAt, checked: PostValidation | null}} props
 */
export function When({ draft, change, errorAt, checked }) {
  const queues = useLoad(() => all("/queues", { profileId: draft.profileId }, 50), [draft.profileId]);
  const choices = /** @type {["now" | "slot" | "schedule", string][]} */ ([
    ["now", t("Now")],
    ["schedule", t("At a time")],
    ...(queues.data?.length ? [["slot", t("Next free slot")]] : []),
  ]);
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
        <${AtTime} draft=${draft} change=${change} errorAt=${errorAt} />
        <${Repeats} draft=${draft} change=${change} errorAt=${errorAt} checked=${checked} />
      `}
      ${draft.when === "slot" && html`
        <${NextSlot} draft=${draft} change=${change} queues=${queues.data ?? []} />
      `}
    </fieldset>
  `;
}

/** @param {{draft: Draft, change: Change, errorAt: ErrorAt}} props */
export function More(props) {
  const { firstComment, link, tags, title, campaign } = props.draft;
  const isFilled = Boolean(firstComment || link || tags || title || campaign);
  const [isOpen, setOpen] = useState(isFilled);
  return html`
    <details
      class="more"
      open=${isOpen || isFilled}
      onToggle=${(/** @type {Event & {currentTarget: HTMLDetailsElement}} */ event) =>
        setOpen(event.currentTarget.open)
      }
    >
      <summary>${t("More: first comment, link, tags, title")}</summary>
      ${(isOpen || isFilled) && html`<${MoreFields} ...${props} />`}
    </details>
  `;
}
