// My account: who I am, what I am mailed about, password, second factor, where I am signed in,
// what acts for me.
import { html, useState } from "../html.js";
import { all, hasExtension, post, remove } from "../api.js";
import { Button } from "../components/button.js";
import { Field } from "../components/field.js";
import { lazy } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { Card, Page } from "../components/page.js";
import { Table } from "../components/table.js";
import { toast } from "../components/toasts.js";
import { useAction, useLoad } from "../hooks.js";
import { t, tn } from "../i18n.js";
import { me } from "../store.js";
import { setTheme, theme } from "../theme.js";
import { Time } from "../time.js";
import { SecondFactor } from "./account-factor.js";
import { Person } from "./account-person.js";
import { deviceName } from "./account-device.js";
import { useRefusal } from "./account-refusal.js";

const CalendarLinks = lazy(() => import("./calendar-links.js"), 3);
const Access = lazy(() => import("./account-access.js"));
const Notifications = lazy(() => import("./account-notifications.js"), 6);
const Push = lazy(() => import("./account-push.js"), 3);
const MyData = lazy(() => import("./account-data.js"), 3);
const DeleteMe = lazy(() => import("./account-delete.js"), 2);

/** @typedef {import("signalpost/api").Schemas["Session"]} Session */

const Messenger = lazy(() => import("./account-messenger.js"), 2);

/** @param {{id: string}} props */
export default function Account({ id }) {
  const { user } = me.value;
  return html`
    <${Page}
      title=${t("My account")}
      subtitle=${user.name ? `${user.name} · ${user.email}` : user.email}
    >
      <${Person} />
      <${Password} />
      <${SecondFactor} />
      <${Messenger} />
      <${ThisBrowser} />
      <${Notifications} isLinked=${id === "notifications"} />
      <${Push} />
      <${Sessions} />
      <${Access} />
      ${hasExtension("calendar_links") && html`
        <${Card} title=${t("Calendar links")}>
          <p class="soft">${t("By these, calendar programs show when posts go out.")}</p>
          <${CalendarLinks} add />
        <//>
      `}
      <${MyData} />
      <${DeleteMe} />
    <//>
  `;
}

const EMPTY = { currentPassword: "", password: "", code: "" };

function Password() {
  const [fields, setFields] = useState(EMPTY);
  const [refusal, attempt] = useRefusal();
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) =>
    setFields({ ...fields, [name]: value });
  const [busy, change] = useAction(() =>
    attempt(async () => {
      await post("/auth/password", { ...fields, code: fields.code || undefined }, { key: "" });
      setFields(EMPTY);
      toast(t("The password is changed. You are signed out everywhere else."));
    }),
  );
  return html`
    <${Card} title=${t("Password")}>
      <form
        onSubmit=${(/** @type {Event} */ event) => {
          event.preventDefault();
          void change();
        }}
      >
        <input type="email" autocomplete="username" value=${me.value.user.email} readonly hidden />
        <${Field}
          label=${t("Password now")}
          type="password"
          autocomplete="current-password"
          value=${fields.currentPassword}
          onInput=${set("currentPassword")}
          error=${refusal.currentPassword}
        />
        <${Field}
          label=${t("New password")}
          hint=${t("At least 10 characters. A few words are easier to remember than signs.")}
          type="password"
          autocomplete="new-password"
          value=${fields.password}
          onInput=${set("password")}
          error=${refusal.password}
        />
        ${me.value.user.totpEnabled && html`
          <${Field}
            label=${t("Code of the app")}
            autocomplete="one-time-code"
            inputmode="numeric"
            value=${fields.code}
            onInput=${set("code")}
            error=${refusal.code}
          />
        `}
        <${Button} type="submit" busy=${busy}>
          ${t("Change the password")}
        <//>
      </form>
    <//>
  `;
}

function Sessions() {
  const loaded = useLoad(() => all("/auth/sessions"), []);
  const [busy, endOthers] = useAction(async () => {
    const { ended } = await remove("/auth/sessions");
    toast(tn(ended, "Signed out in {n} other place.", "Signed out in {n} other places."));
    await loaded.reload();
  });
  return html`
    <${Card}
      title=${t("Where you are signed in")}
      actions=${
        (loaded.data?.length ?? 0) > 1 && html`
          <${Button} kind="danger" icon="logout" busy=${busy} onClick=${endOthers}>
            ${t("Sign out everywhere else")}
          <//>
        `
      }
    >
      <p class="soft">${t("If you do not know one of them: sign it out, then change your password.")}</p>
      <${Loaded} loaded=${loaded}>
        ${(/** @type {Session[] & {cut?: boolean}} */ sessions) => html`
          <${Table}
            label=${t("Where you are signed in")}
            columns=${[t("Device"), t("Address"), t("Signed in"), t("Last used"), ""]}
            rows=${sessions.map((session) => ({
              key: session.id,
              cells: [
                html`<span title=${session.userAgent}>${deviceName(session.userAgent)}</span>`,
                session.address ?? "–",
                html`<${Time} at=${session.createdAt} />`,
                html`<${Time} at=${session.lastUsedAt} kind="relative" />`,
                session.current ? html`
                  <span class="soft">${t("this one")}</span>
                ` : html`
                  <${End} session=${session} reload=${loaded.reload} />
                `,
              ],
            }))}
            cut=${sessions.cut}
          />
        `}
      <//>
    <//>
  `;
}

/** @param {{session: Session, reload: () => Promise<void>}} props */
function End({ session, reload }) {
  const [busy, end] = useAction(async () => {
    await remove(`/auth/sessions/${session.id}`);
    toast(t("Signed out there."));
    await reload();
  });
  return html`
    <${Button} busy=${busy} onClick=${end}>
      ${t("Sign out")}
      <span class="hidden"> ${deviceName(session.userAgent)}</span>
    <//>
  `;
}

/** The colours, which this browser keeps. */
function ThisBrowser() {
  return html`
    <${Card} title=${t("This browser")}>
      <div class="row">
        <${Field}
          label=${t("Colours")}
          value=${theme.value}
          onInput=${setTheme}
          options=${[
            ["system", t("System")],
            ["light", t("Light")],
            ["dark", t("Dark")],
          ]}
        />
      </div>
    <//>
  `;
}
