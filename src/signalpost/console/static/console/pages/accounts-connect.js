// Connect an account, or connect it again: by a form, or by agreeing at the network.
import { html, useEffect, useState } from "../html.js";
import { get, post } from "../api.js";
import { useAction, useLoad } from "../hooks.js";
import { Icon } from "../icons.js";
import { t } from "../i18n.js";
import { accounts, loadBasics, loadPlatforms, platforms } from "../store.js";
import { NetworkLogo } from "../components/network-logo.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Field } from "../components/field.js";
import { FormDialog, useForm } from "../components/form.js";
import { Loaded } from "../components/loaded.js";
import { ProfileField, firstProfile } from "../components/profile-field.js";
import { toast, toastProblem } from "../components/toasts.js";

/** @typedef {import("signalpost/api").Schemas["Platform"]} Platform */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */

/** @param {Platform} platform */
const isByForm = ({ modes }) => modes.includes("credentials") && !modes.includes("oauth");

/** Whether nothing has to be asked before the person agrees at the network. @param {Platform} platform */
const isAtOnce = (platform) =>
  platform.configured && !isByForm(platform) && platform.platform !== "mastodon";

/**
 * Have the person agree at the network, in a window of its own. The click itself has to open it: browsers
 * refuse one that opens later.
 * @param {Platform} platform
 * @param {{profileId: string, accountId?: string, instanceUrl?: string}} query
 * @returns {Promise<string>} where it leads, for a browser that opened none
 */
async function begin(platform, query) {
  const opened = window.open("", "_blank");
  try {
    const begun = await get(`/platforms/${platform.platform}/auth-url`, query);
    const url = begun.url ?? "";
    if (opened && url) {
      opened.opener = null;
      opened.location.href = url;
    }
    return url;
  } catch (problem) {
    opened?.close();
    throw problem;
  }
}

/** @param {{account?: PlatformAccount, onClose: () => void, onDone: () => Promise<void>}} props */
export function Connect({ account, onClose, onDone }) {
  const [key, setKey] = useState(account?.platform ?? "");
  const [chosen, setChosen] = useState("");
  const [url, setUrl] = useState("");
  const loaded = useLoad(() => Promise.all([loadBasics(), loadPlatforms()]), []);
  const profileId = account?.profileId ?? (chosen || firstProfile());
  const platform = loaded.data && platforms.value?.find((network) => network.platform === key);
  const choose = async (/** @type {Platform} */ network) => {
    if (isAtOnce(network)) setUrl(await begin(network, { profileId }));
    setKey(network.platform);
  };
  if (!platform)
    return html`
      <${Networks}
        loaded=${loaded}
        profileId=${profileId}
        setProfile=${setChosen}
        onChoose=${choose}
        onClose=${onClose}
      />
    `;
  const props = { platform, account, profileId, onClose, onDone };
  if (url) return html`<${Continue} ...${props} url=${url} />`;
  return isByForm(platform) ? html`
    <${ByForm} ...${props} />
  ` : html`
    <${AtNetwork} ...${props} onBegun=${setUrl} />
  `;
}

/**
 * The choice of a network, when it is known for which client an account is connected.
 * @param {{
 *   loaded: {data: unknown, problem: unknown, reload: () => void},
 *   profileId: string, setProfile: (id: string) => void, onChoose: (platform: Platform) => Promise<void>,
 *   onClose: () => void
 * }} props
 */
function Networks({ loaded, profileId, setProfile, onChoose, onClose }) {
  const able = (platforms.value ?? [])
    .filter((network) => network.available)
    .sort((a, b) => Number(b.configured) - Number(a.configured));
  // Once at a time: a double press would open two windows.
  const [busy, choose] = useAction(onChoose);
  return html`
    <${Dialog} title=${t("Connect an account")} onClose=${onClose} wide>
      <${Loaded} loaded=${loaded}>
        ${() => html`
          <${ProfileField} value=${profileId} onInput=${setProfile} />
          <div class="chips even">
            ${able.map((network) => html`
              <button
                type="button"
                class="chip"
                key=${network.platform}
                aria-disabled=${busy || undefined}
                onClick=${() => choose(network)}
              >
                <${NetworkLogo} platform=${network.platform} />
                <span>
                  <strong>${network.name}</strong>
                  <span class="soft">
                    ${network.configured ? t("ready") : t("the operator sets it up first")}
                  </span>
                </span>
              </button>
            `)}
          </div>
        `}
      <//>
      <p class="soft">${t("You go to the network, sign in there and agree. We never see your password.")}</p>
    <//>
  `;
}

/**
 * @typedef {{
 *   platform: Platform, account: PlatformAccount | undefined, profileId: string,
 *   onClose: () => void, onDone: () => Promise<void>
 * }} Props
 */

/** @param {Props} props */
const titleOf = ({ account, platform }) =>
  account
    ? t("Reconnect {name}", { name: account.username })
    : t("Connect {network}", { network: platform.name });

/** By what the network wants to know. @param {Props} props */
function ByForm(props) {
  const { platform, account, profileId, onClose, onDone } = props;
  const form = useForm(/** @type {Record<string, string>} */ ({}), async (fields) => {
    await post(`/platforms/${platform.platform}/connect`, {
      profileId,
      fields,
      ...(account ? { accountId: account.id } : {}),
    });
    await onDone();
    toast(t("Connected."));
    onClose();
  });
  return html`
    <${FormDialog} title=${titleOf(props)} form=${form} submit=${t("Connect")} onClose=${onClose}>
      ${platform.credentialFields.map((field, index) => html`
        <${Field}
          key=${field.name}
          label=${field.required ? field.label : `${field.label} (${t("optional")})`}
          type=${field.secret ? "password" : "text"}
          autocomplete="off"
          autofocus=${index === 0}
          ...${form.field(field.name)}
        />
      `)}
    <//>
  `;
}

/**
 * By agreeing at the network, after what has to be known before.
 * @param {Props & {onBegun: (url: string) => void}} props
 */
function AtNetwork(props) {
  const { platform, account, profileId, onClose, onBegun } = props;
  const form = useForm({ instanceUrl: undefined }, async ({ instanceUrl }) =>
    onBegun(await begin(platform, { profileId, accountId: account?.id, instanceUrl })),
  );
  return html`
    <${FormDialog} title=${titleOf(props)} form=${form} submit=${t("Continue")} onClose=${onClose}>
      ${platform.platform === "mastodon" && html`
        <${Field}
          label=${t("Server")}
          placeholder="mastodon.social"
          autofocus
          ...${form.field("instanceUrl")}
        />
      `}
      <p>${t("You go to the network, sign in there and agree. We never see your password.")}</p>
    <//>
  `;
}

/** What tells whether an account was connected, or again. */
const connections = () =>
  JSON.stringify(accounts.peek()?.map(({ id, status, statusReason }) => [id, status, statusReason]));

/**
 * Until the person comes back from the network: then it looks whether the account is there.
 * @param {Props & {url: string}} props
 */
function Continue(props) {
  const { platform, url, onClose, onDone } = props;
  const [before] = useState(connections);
  const close = () => {
    onClose();
    void onDone();
  };
  useEffect(() => {
    const look = () =>
      loadBasics(true).then(() => {
        if (connections() === before) return;
        toast(t("Connected."));
        close();
      }, toastProblem);
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  }, []);
  return html`
    <${Dialog}
      title=${titleOf(props)}
      onClose=${close}
      actions=${
        html`<${Button} kind="primary" onClick=${close}>
          ${t("Done")}
        <//>`
      }
    >
      <p>${t("Agree at the network, in a window of its own; then come back here.")}</p>
      <a class="button" href=${url} target="_blank" rel="noopener">
        <${Icon} name="link" />
        <span>${t("Continue at {network}", { network: platform.name })}</span>
      </a>
    <//>
  `;
}
