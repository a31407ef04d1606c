// Notifications on my devices: this one, the others, and what comes to them.
import { html, useState } from "../html.js";
import { get, patch, post, remove } from "../api.js";
import { Button } from "../components/button.js";
import { Check } from "../components/field.js";
import { useForm } from "../components/form.js";
import { Loaded } from "../components/loaded.js";
import { Card } from "../components/page.js";
import { ProblemBox } from "../components/problem-box.js";
import { Table } from "../components/table.js";
import { toast } from "../components/toasts.js";
import { useAction, useLoad } from "../hooks.js";
import { t } from "../i18n.js";
import { ability, isSubscribed, turnOff, turnOn } from "../push.js";
import { Time } from "../time.js";
import { deviceName } from "./account-device.js";
import { topics } from "./account-topics.js";

/** @typedef {import("signalpost/api").Schemas["PushDevices"]} Devices */
/** @typedef {Devices["devices"][number]} Device */
/** @typedef {import("signalpost/api").Schemas["Notifications"]["push"]} Topics */

async function load() {
  const [{ publicKey, devices }, choices, can] = await Promise.all([
    get("/auth/push"),
    get("/auth/notifications"),
    ability(),
  ]);
  const isOn = can === "able" && (await isSubscribed(publicKey));
  return {
    publicKey,
    devices,
    can,
    own: devices.find(({ current }) => current && isOn),
    push: choices.push,
  };
}

export default function PushCard() {
  const loaded = useLoad(load, []);
  return html`
    <${Card} title=${t("Notifications on my devices")} id="devices">
      <${Loaded} loaded=${loaded}>
        ${(/** @type {Awaited<ReturnType<typeof load>>} */ { publicKey, devices, can, own, push }) => html`
          ${can === "able" ? html`
            <${ThisDevice} publicKey=${publicKey} own=${own} reload=${loaded.reload} />
          ` : html`
            <p class="soft">${reason(can)}</p>
          `}
          <${Others} devices=${devices.filter((device) => device !== own)} reload=${loaded.reload} />
          ${devices.length > 0 && html`<${Choose} push=${push} />`}
        `}
      <//>
    <//>
  `;
}

/** @param {"denied" | "install" | "unable"} can */
function reason(can) {
  if (can === "denied")
    return t("This browser does not let the console notify you. Allow it in its settings of this site.");
  if (can === "install")
    return t("Add the console to the Home Screen, and open it from there: then it can notify you.");
  return t("This browser has no notifications for the console, or has them at an https address only.");
}

/** @param {{publicKey: string, own?: Device, reload: () => Promise<void>}} props */
function ThisDevice({ publicKey, own, reload }) {
  const [failure, setFailure] = useState("");
  const [busy, change] = useAction(async () => {
    setFailure("");
    if (own) {
      await remove(`/auth/push/${own.id}`);
      await turnOff();
    } else {
      try {
        if (!(await turnOn(publicKey))) setFailure(t("The browser was not allowed to notify you."));
      } catch (error) {
        if (!(error instanceof DOMException)) throw error;
        setFailure(
          t("The push service of this browser cannot be reached, or is switched off in its settings."),
        );
      }
    }
    await reload();
  });
  const [isTrying, tryIt] = useAction(async () => {
    await post(`/auth/push/${own?.id}/test`);
    toast(t("It is on its way."));
  });
  return html`
    <p class="soft">
      ${own
        ? t("This device shows notifications, also while the console is closed.")
        : t("This device can show what waits for you while the console is closed.")}
    </p>
    ${failure && html`
      <p class="notice warn" role="alert">
        ${failure}
      </p>
    `}
    ${own?.error && html`
      <p class="notice warn">
        ${t("The last one did not arrive: {reason}", { reason: own.error })}
      </p>
    `}
    <p class="row">
      <${Button} kind=${own ? "plain" : "primary"} busy=${busy} onClick=${change}>
        ${own ? t("Turn off on this device") : t("Turn on on this device")}
      <//>
      ${own && html`
        <${Button} busy=${isTrying} onClick=${tryIt}>
          ${t("Send a test")}
        <//>
      `}
    </p>
  `;
}

/** @param {{devices: Device[], reload: () => Promise<void>}} props */
function Others({ devices, reload }) {
  if (!devices.length) return null;
  return html`
    <${Table}
      label=${t("My other devices")}
      columns=${[t("Device"), t("Since"), t("Last notification"), ""]}
      rows=${devices.map((device) => ({
        key: device.id,
        cells: [
          html`<span title=${device.userAgent}>${deviceName(device.userAgent)}</span>`,
          html`<${Time} at=${device.createdAt} />`,
          device.sentAt ? html`<${Time} at=${device.sentAt} kind="relative" />` : "–",
          html`<${End} device=${device} reload=${reload} />`,
        ],
      }))}
    />
  `;
}

/** @param {{device: Device, reload: () => Promise<void>}} props */
function End({ device, reload }) {
  const [busy, end] = useAction(async () => {
    await remove(`/auth/push/${device.id}`);
    await reload();
  });
  return html`
    <${Button} busy=${busy} onClick=${end}>
      ${t("Turn off")}
      <span class="hidden"> ${deviceName(device.userAgent)}</span>
    <//>
  `;
}

/** @param {{push: Topics}} props */
function Choose({ push }) {
  const form = useForm({ ...push }, async (choices) => {
    await patch("/auth/notifications", { push: choices });
    toast(t("Saved."));
  });
  return html`
    <form
      onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        void form.submit();
      }}
    >
      ${form.problem && html`<${ProblemBox} problem=${form.problem} />`}
      <fieldset>
        <legend class="legend">${t("My devices notify me about")}</legend>
        ${topics().map(([topic, label]) => html`
          <${Check} key=${topic} label=${label} ...${form.check(topic)} />
        `)}
      </fieldset>
      <p class="hint">${t("Your quiet hours hold these, too. What is about one page comes once.")}</p>
      <${Button} type="submit" busy=${form.busy}>
        ${t("Save what my devices show")}
      <//>
    </form>
  `;
}
