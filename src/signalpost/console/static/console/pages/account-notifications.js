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
import { zone } from "../store.js";
import { topics } from "./account-topics.js";

/** @typedef {import("signalpost/api").Schemas["Notifications"]} Choices */

const NIGHT = { start: "22:00", end: "07:00" };

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
        ${topics().map(([topic, label, hint]) => html`
          <${Check} key=${topic} label=${label} hint=${hint} ...${form.check(topic)} />
        `)}
      </fieldset>
      <${Check}
        label=${t("Quiet hours")}
        hint=${t("Such mails and notifications wait until they end. None is lost.")}
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
