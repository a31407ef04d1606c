// What I am mailed about, and hours in which no mail comes.
import { html, useEffect } from "../html.js";
import { get, patch } from "../api.js";
import { Button } from "../components/button.js";
import { Check, Field } from "../components/field.js";
import { useForm } from "../components/form.js";
import { Loaded } from "../components/loaded.js";
import { Card } from "../components/page.js";
import { ProblemBox } from "../components/problem-box.js";
import { toast } from "../components/toasts.js";
import { useLoad } from "../hooks.js";
import { t } from "../i18n.js";
import { may, zone } from "../store.js";

/** @typedef {import("signalpost/api").Schemas["Notifications"]} Choices */
/** @typedef {keyof Choices["mail"]} Topic */

const NIGHT = { start: "22:00", end: "07:00" };

/** Each topic, and when such a mail comes. @returns {[Topic, string, string][]} */
const topics = () => [
  ["approvals", t("Posts to approve"), t("When posts wait for you, and again a day before their time.")],
  ["decisions", t("Decisions on my posts"), t("When someone approves, rejects or wants changes.")],
  [
    "discussions",
    t("Mentions and messages"),
    t("When someone names you, or a guest writes about your post."),
  ],
  ["accounts", t("Accounts to connect again"), t("When an account of your workspace stops working.")],
  ["feeds", t("Feeds on hold"), t("When a feed of yours is not read any more.")],
  ["webhooks", t("Disabled webhooks"), t("When a receiver of your workspace fails for days.")],
  ["usage", t("Usage of the plan"), t("When a month’s limit of your workspace is almost or fully used.")],
  ["support", t("Answers from support"), t("When support answers one of your tickets.")],
];

/** @returns {[Topic, string, string][]} */
const ofStaff = () => [
  ["tickets", t("Tickets of users"), t("When a user writes to support, which you belong to.")],
];

/** @param {{isLinked: boolean}} props `isLinked`: the address leads here, as that in each mail does */
export default function NotificationsCard({ isLinked }) {
  const loaded = useLoad(() => get("/auth/notifications"), []);
  const isLoaded = Boolean(loaded.data);
  useEffect(() => {
    if (isLinked && isLoaded) document.getElementById("notifications")?.scrollIntoView();
  }, [isLinked, isLoaded]);
  return html`
    <${Card} title=${t("Mails to me")} id="notifications">
      <${Loaded} loaded=${loaded}>
        ${(/** @type {Choices} */ choices) => html`<${Choose} choices=${choices} />`}
      <//>
    <//>
  `;
}

/** @param {{choices: Choices}} props */
function Choose({ choices }) {
  const form = useForm(
    {
      ...choices.mail,
      isQuiet: choices.quietHours !== null,
      timezone: zone.value,
      ...(choices.quietHours ?? NIGHT),
    },
    async ({ isQuiet, start, end, timezone, ...mail }) => {
      const quietHours = isQuiet ? { start, end, timezone } : null;
      await patch("/auth/notifications", { mail, quietHours });
      toast(t("Saved."));
    },
  );
  const choosable = may("instance:admin") ? [...topics(), ...ofStaff()] : topics();
  return html`
    <form
      onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        void form.submit();
      }}
    >
      ${form.problem && html`<${ProblemBox} problem=${form.problem} />`}
      <fieldset>
        <legend class="legend">${t("I am mailed about")}</legend>
        ${choosable.map(([topic, label, hint]) => html`
          <${Check} key=${topic} label=${label} hint=${hint} ...${form.check(topic)} />
        `)}
      </fieldset>
      <${Check}
        label=${t("Quiet hours")}
        hint=${t("Such mails wait until they end. None is lost.")}
        ...${form.check("isQuiet")}
      />
      ${form.values.isQuiet && html`<${QuietHours} form=${form} />`}
      <p class="hint">
        ${t("Mails about signing in, passwords, leaked keys and payment always come, and at once.")}
      </p>
      <${Button} type="submit" busy=${form.busy}>
        ${t("Save my choices")}
      <//>
    </form>
  `;
}

/** @param {{form: import("../components/form.js").FormOf<any>}} props */
function QuietHours({ form }) {
  const zones = [...new Set([form.values.timezone, "Etc/UTC", ...Intl.supportedValuesOf("timeZone")])];
  return html`
    <div class="row">
      <${Field} label=${t("Quiet from")} type="time" required ...${form.field("start")} />
      <${Field} label=${t("Quiet until")} type="time" required ...${form.field("end")} />
      <${Field}
        label=${t("Time zone")}
        options=${zones.map((name) => [name, name])}
        ...${form.field("timezone")}
      />
    </div>
  `;
}
