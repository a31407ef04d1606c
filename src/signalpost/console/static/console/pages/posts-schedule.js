// Drafts that get times of the days to come, all at once.
import { html, useState } from "../html.js";
import { Problem, newKey, post } from "../api.js";
import { Button } from "../components/button.js";
import { CheckList } from "../components/check-list.js";
import { Dialog } from "../components/dialog.js";
import { Field } from "../components/field.js";
import { FormDialog, listed, useForm } from "../components/form.js";
import { t, tn } from "../i18n.js";
import { to } from "../router.js";
import { profiles, zone } from "../store.js";
import { Time, wallTime } from "../time.js";
import { WEEK, weekdayName } from "../weekdays.js";
import { sentencesOf } from "../words.js";

/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
/** @typedef {import("signalpost/api").Schemas["AutoScheduled"]} Result */

const DAY_MS = 86_400_000;
const TIMES = "09:00, 12:00, 17:00, 20:00";

/**
 * @param {{drafts: Post[], profileId: string, onClose: () => void, onDone: () => Promise<void>}} props
 */
export default function ScheduleDrafts({ drafts, profileId, onClose, onDone }) {
  const [key] = useState(newKey);
  const [result, setResult] = useState(/** @type {Result | null} */ (null));
  const timezone = profiles.value?.find((profile) => profile.id === profileId)?.timezone ?? zone.value;
  const form = useForm(
    {
      strategy: "slots",
      postsPerDay: "2",
      startDate: wallTime(new Date(Date.now() + DAY_MS), timezone).slice(0, 10),
      timeSlots: TIMES,
      days: [0, 1, 2, 3, 4].map(String),
    },
    async (values) => {
      const body = {
        postIds: drafts.map((draft) => draft.id).reverse(), // the list has the newest first
        strategy: values.strategy,
        postsPerDay: Number(values.postsPerDay),
        timezone,
        skipDays: WEEK.filter((day) => !values.days.includes(String(day))),
        ...(values.startDate ? { startDate: values.startDate } : {}), // else the service takes tomorrow
        ...(values.strategy === "slots" ? { timeSlots: listed(values.timeSlots) } : {}),
      };
      setResult(await post("/posts/auto-schedule", body, { key }));
      await onDone();
    },
  );
  if (result) return html`<${Done} result=${result} onClose=${onClose} />`;
  return html`
    <${FormDialog}
      title=${t("Schedule these drafts")}
      form=${form}
      submit=${tn(drafts.length, "Schedule {n} draft", "Schedule {n} drafts")}
      onClose=${onClose}
    >
      <${Fields} form=${form} />
    <//>
  `;
}

/**
 * @typedef {{
 *   strategy: string, postsPerDay: string, startDate: string, timeSlots: string, days: string[]
 * }} Values
 */
/** @param {{form: import("../components/form.js").FormOf<Values>}} props */
const Fields = ({ form }) => html`
  <p class="soft">
    ${t(
      "The oldest goes out first. Where an account publishes something already, the next time is taken.",
    )}
  </p>
  <${Field}
    label=${t("At which times")}
    options=${[
      ["slots", t("At the times below")],
      ["best_times", t("When posts do best")],
    ]}
    ...${form.field("strategy")}
  />
  ${form.values.strategy === "slots" && html`
    <${Field}
      label=${t("Times of a day")}
      hint=${t("Separated by commas.")}
      ...${form.field("timeSlots")}
    />
  `}
  <div class="row">
    <${Field} label=${t("Posts a day")} type="number" min="1" max="24" ...${form.field("postsPerDay")} />
    <${Field} label=${t("First day")} type="date" ...${form.field("startDate")} />
  </div>
  <div role="group" aria-label=${t("Days")}>
    <${CheckList}
      options=${WEEK.map((day) => [String(day), weekdayName(day, "long")])}
      value=${form.values.days}
      onInput=${(/** @type {string[]} */ days) => form.change({ days })}
    />
  </div>
`;

/** @param {{result: Result, onClose: () => void}} props */
function Done({ result, onClose }) {
  const { scheduled, skipped } = result;
  return html`
    <${Dialog}
      title=${tn(scheduled.length, "{n} draft is scheduled", "{n} drafts are scheduled")}
      onClose=${onClose}
      actions=${
        html`<${Button} kind="primary" onClick=${onClose}>
          ${t("Done")}
        <//>`
      }
    >
      <ol class="list">
        ${scheduled.map((entry) => html`
          <li key=${entry.postId}>
            <a href=${to(`posts/${entry.postId}`)}>
              <${Time} at=${entry.scheduledAt} />
            </a>
          </li>
        `)}
      </ol>
      ${skipped.length > 0 && html`
        <h3>${tn(skipped.length, "{n} stays a draft", "{n} stay drafts")}</h3>
        <ul class="list">
          ${skipped.map((entry) => html`
            <li key=${entry.postId}>
              <a href=${to(`posts/${entry.postId}`)}>
                ${sentencesOf(new Problem({ code: entry.code, detail: entry.message }, 422)).happened}
              </a>
            </li>
          `)}
        </ul>
      `}
    <//>
  `;
}
