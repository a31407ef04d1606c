// What I say about myself: name, language, time zone.
import { html } from "../html.js";
import { patch } from "../api.js";
import { Button } from "../components/button.js";
import { Field } from "../components/field.js";
import { useForm } from "../components/form.js";
import { Card } from "../components/page.js";
import { ProblemBox } from "../components/problem-box.js";
import { toast } from "../components/toasts.js";
import { LANGUAGES, chooseLanguage, language, t } from "../i18n.js";
import { NO_ZONE, me, workspaceZone } from "../store.js";

export function Person() {
  const { user } = me.value;
  const form = useForm(
    { name: user.name ?? "", locale: language.value, timezone: user.timezone },
    async ({ name, locale, timezone }) => {
      me.value = await patch("/auth/me", { name: name.trim() || null, locale, timezone });
      await chooseLanguage(locale);
      toast(t("Saved."));
    },
  );
  const zones = [...new Set([user.timezone, "Etc/UTC", ...Intl.supportedValuesOf("timeZone")])];
  return html`
    <${Card} title=${t("About me")}>
      <form
        onSubmit=${(/** @type {Event} */ event) => {
          event.preventDefault();
          void form.submit();
        }}
      >
        ${form.problem && html`<${ProblemBox} problem=${form.problem} />`}
        <${Field} label=${t("Name")} maxlength="100" autocomplete="name" ...${form.field("name")} />
        <div class="row">
          <${Field} label=${t("Language")} options=${Object.entries(LANGUAGES)} ...${form.field("locale")} />
          <${Field}
            label=${t("Time zone")}
            options=${[
              [NO_ZONE, t("that of the workspace ({zone})", { zone: workspaceZone.value })],
              ...zones.filter((name) => name !== NO_ZONE).map((name) => [name, name]),
            ]}
            ...${form.field("timezone")}
          />
        </div>
        <p class="hint">
          ${t("Times are shown to you in it. The calendar and posts stay in those of workspace and client.")}
        </p>
        <${Button} type="submit" busy=${form.busy}>
          ${t("Save")}
        <//>
      </form>
    <//>
  `;
}
