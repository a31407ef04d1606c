// Posting from a phone: the messenger that is linked to this person.
import { html, useEffect, useState } from "../html.js";
import { call, get, post, remove } from "../api.js";
import { Button } from "../components/button.js";
import { ConfirmDialog } from "../components/confirm-dialog.js";
import { Copy } from "../components/copy.js";
import { Dialog } from "../components/dialog.js";
import { Field } from "../components/field.js";
import { lazy } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { Card } from "../components/page.js";
import { ProblemBox } from "../components/problem-box.js";
import { ProfileField } from "../components/profile-field.js";
import { toast } from "../components/toasts.js";
import { useAction, useLoad } from "../hooks.js";
import { t } from "../i18n.js";
import { loadBasics, profiles } from "../store.js";
import { Time } from "../time.js";

/** @typedef {import("signalpost/api").Schemas["LinkStatus"]} Status */
/** @typedef {import("signalpost/api").Schemas["LinkCode"]} Code */

const Qr = lazy(() => import("../components/qr.js"), 6);
const ASK_MS = 3_000;
/** @type {Record<string, string>} */
const NAMES = { whatsapp: "WhatsApp", telegram: "Telegram", slack: "Slack" };

export default function Messenger() {
  const loaded = useLoad(() => get("/wa/status"), []);
  const [open, setOpen] = useState(/** @type {"" | "link" | "unlink"} */ (""));
  const close = () => setOpen("");
  return html`
    <${Card} title=${t("Post from your phone")}>
      <p class="soft">${t("Send a text or a picture from a messenger, and it becomes a post.")}</p>
      <${Loaded} loaded=${loaded} lines=${2}>
        ${(/** @type {Status} */ status) => html`
          ${status.linked && html`<${Linked} status=${status} />`}
          <div class="actions">
            <${Button} icon="link" onClick=${() => setOpen("link")}>
              ${status.linked ? t("Link another messenger") : t("Link my messenger")}
            <//>
            ${status.linked && html`
              <${Button} kind="danger" onClick=${() => setOpen("unlink")}>
                ${t("Unlink")}
              <//>
            `}
          </div>
        `}
      <//>
      ${open === "link" && html`
        <${LinkMessenger}
          messengers=${loaded.data?.messengers ?? []}
          onClose=${close}
          onLinked=${(/** @type {Status} */ status) => {
            loaded.setData(status);
            toast(t("Your messenger is linked."));
            close();
          }}
        />
      `}
      ${open === "unlink" && html`
        <${ConfirmDialog}
          title=${t("Unlink the messenger?")}
          confirm=${t("Unlink")}
          act=${async () => {
            await remove("/wa/link");
            close();
            await loaded.reload();
          }}
          onClose=${close}
        >
          <p>${t("Messages from it become no posts any more. It can be linked again.")}</p>
        <//>
      `}
    <//>
  `;
}

/** @param {{status: Status}} props */
function Linked({ status }) {
  const client = profiles.value?.find((candidate) => candidate.id === status.profileId)?.name;
  return html`
    <dl class="facts">
      <dt>${NAMES[status.messenger ?? ""]}</dt>
      <dd>
        <bdi>${status.phoneMasked ?? status.userMasked ?? t("not shown by the messenger")}</bdi>
      </dd>
      ${client && html`
        <dt>${t("Client")}</dt>
        <dd dir="auto">${client}</dd>
      `}
      <dt>${t("Last message")}</dt>
      <dd>
        <${Time} at=${status.lastMessageAt} kind="relative" />
      </dd>
    </dl>
  `;
}

/**
 * @param {{
 *   messengers: Code["messenger"][],
 *   onClose: () => void,
 *   onLinked: (status: Status) => void,
 * }} props
 */
function LinkMessenger({ messengers, onClose, onLinked }) {
  const basics = useLoad(() => loadBasics(), []);
  const [messenger, setMessenger] = useState(messengers[0]);
  const [profileId, setProfileId] = useState("");
  const [code, setCode] = useState(/** @type {Code | null} */ (null));
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const [busy, make] = useAction(async () => {
    setProblem(null);
    const body = { ...(messenger && { messenger }), ...(profileId && { profileId }) };
    await post("/wa/link-code", body, { key: "" }).then(setCode, setProblem);
  });
  useWhenLinked(code, onLinked);
  return html`
    <${Dialog}
      title=${t("Link my messenger")}
      onClose=${onClose}
      onSubmit=${make}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Cancel")}<//>
          ${!code && html`
            <${Button} kind="primary" type="submit" busy=${busy}>
              ${t("Next")}
            <//>
          `}
        `
      }
    >
      ${problem && html`<${ProblemBox} problem=${problem} />`}
      ${code ? html`
        <${Scan} code=${code} />
      ` : html`
        <p>${t("What you send may do what you may do here.")}</p>
        ${messengers.length > 1 && html`
          <${Field}
            label=${t("Messenger")}
            options=${messengers.map((name) => [name, NAMES[name]])}
            value=${messenger}
            onInput=${setMessenger}
          />
        `}
        <${Loaded} loaded=${{ ...basics, data: basics.loading ? undefined : true }} lines=${2}>
          ${() => html`
            <${ProfileField}
              value=${profileId || (profiles.value?.[0]?.id ?? "")}
              onInput=${setProfileId}
            />
          `}
        <//>
      `}
    <//>
  `;
}

/** @param {Code["messenger"]} messenger */
function whatToDo(messenger) {
  switch (messenger) {
    case "telegram":
      return t("Scan this with your phone, and press Start in the chat that opens.");
    case "slack":
      return t("Scan this with your phone, and send the code to the app that opens.");
    default:
      return t("Scan this with your phone, and send the message that it opens.");
  }
}

/** @param {{code: Code}} props */
const Scan = ({ code }) => html`
  <p>${whatToDo(code.messenger)}</p>
  <p>
    <${Qr} text=${code.qrText} label=${t("Code to scan with a phone")} />
  </p>
  <p>
    ${t("Or send {code} to {number}.", { code: code.code, number: code.address })}${" "}
    <a href=${code.deepLink} target="_blank" rel="noopener">
      ${t("Open {name} here", { name: NAMES[code.messenger] ?? "" })}
    </a>
  </p>
  <p class="soft small">
    ${t("Works until")} <${Time} at=${code.expiresAt} />
    <${Copy} text=${code.code} />
  </p>
`;

/**
 * Ask whether the code has arrived, until it has or has expired.
 * @param {Code | null} code
 * @param {(status: Status) => void} onLinked
 */
function useWhenLinked(code, onLinked) {
  useEffect(() => {
    if (!code) return undefined;
    const asking = setInterval(async () => {
      if (Date.now() > Date.parse(code.expiresAt)) return clearInterval(asking);
      const status = await call("GET", "/wa/status", { quiet: true }).catch(() => null); // asked again
      if (status?.linked && !status.pendingCode) onLinked(status);
    }, ASK_MS);
    return () => clearInterval(asking);
  }, [code]);
}
