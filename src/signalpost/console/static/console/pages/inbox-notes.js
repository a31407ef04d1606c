// What a team notes on a comment: who takes care of it, when it comes back, tags.
import { html, useState } from "../html.js";
import { patch } from "../api.js";
import { Button } from "../components/button.js";
import { Field } from "../components/field.js";
import { Card } from "../components/page.js";
import { toast, toastProblem } from "../components/toasts.js";
import { useAction } from "../hooks.js";
import { t } from "../i18n.js";
import { dateTime, wallTime } from "../time.js";
import { inTheMorning, isPutOff } from "./inbox-words.js";

/** @typedef {import("signalpost/api").Schemas["Comment"]} Comment */
/** @typedef {import("signalpost/api").Schemas["Member"]} Member */

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** @param {{comment: Comment, members: Member[], reload: () => Promise<void>}} props */
export function Notes({ comment, members, reload }) {
  const change = (/** @type {object} */ changes) =>
    patch(`/comments/${comment.id}`, changes).then(reload, toastProblem);
  const people = members.filter(({ status }) => status === "active");
  return html`
    ${people.length > 0 && html`
      <${Card} title=${t("Who takes care of it")}>
        <${Field}
          label=${t("Member")}
          value=${comment.assignee?.memberId ?? ""}
          options=${[["", t("Nobody")], ...people.map(({ id, name, email }) => [id, name ?? email])]}
          onInput=${(/** @type {string} */ memberId) => change({ assigneeId: memberId || null })}
        />
      <//>
    `}
    ${comment.state === "open" && html`<${Later} comment=${comment} change=${change} />`}
    <${Tags} comment=${comment} reload=${reload} />
  `;
}

/** @param {{comment: Comment, change: (changes: object) => Promise<void>}} props */
function Later({ comment, change }) {
  const [wall, setWall] = useState(() => wallTime(inTheMorning(1), zone));
  const until = async (/** @type {Date | null} */ at) => {
    await change({ snoozedUntil: at && at.toISOString() });
    if (at) toast(t("It comes back {time}.", { time: dateTime(at.toISOString()) }));
  };
  return html`
    <${Card} title=${t("Later")}>
      ${isPutOff(comment) ? html`
        <p>${t("It comes back {time}.", { time: dateTime(comment.snoozedUntil ?? "") })}</p>
        <${Button} icon="back" onClick=${() => until(null)}>
          ${t("Back to the inbox now")}
        <//>
      ` : html`
        <p class="actions">
          <${Button} icon="clock" onClick=${() => until(inTheMorning(1))}>
            ${t("Tomorrow morning")}
          <//>
          <${Button} icon="clock" onClick=${() => until(inTheMorning(7))}>
            ${t("In a week")}
          <//>
        </p>
        <form
          onSubmit=${(/** @type {Event} */ event) => {
            event.preventDefault();
            if (wall) void until(new Date(wall));
          }}
        >
          <${Field}
            label=${t("It comes back at")}
            type="datetime-local"
            value=${wall}
            min=${wallTime(new Date(), zone)}
            onInput=${setWall}
          />
          <${Button} type="submit">${t("Put it off")}<//>
        </form>
      `}
    <//>
  `;
}

/** @param {{comment: Comment, reload: () => Promise<void>}} props */
function Tags({ comment, reload }) {
  const [value, setValue] = useState(comment.tags.join(", "));
  const [busy, save] = useAction(async () => {
    const tags = value.split(",").map((tag) => tag.trim());
    await patch(`/comments/${comment.id}`, { tags: tags.filter(Boolean) });
    toast(t("The tags are saved."));
    await reload();
  });
  return html`
    <${Card} title=${t("Tags")}>
      <form
        onSubmit=${(/** @type {Event} */ event) => {
          event.preventDefault();
          save();
        }}
      >
        <${Field}
          label=${t("Tags")}
          maxlength="1000"
          value=${value}
          hint=${t("Separated by commas; for your team, never published.")}
          onInput=${setValue}
        />
        <${Button} type="submit" busy=${busy}>
          ${t("Save the tags")}
        <//>
      </form>
    <//>
  `;
}
