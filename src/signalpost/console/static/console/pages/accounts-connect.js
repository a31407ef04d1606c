// Connect an account, or connect it again: by a form, or by agreeing at the network.
import { html, useEffect, useState } from "../html.js";
import { get, post } from "../api.js";
import { Icon } from "../icons.js";
import { t } from "../i18n.js";
import { loadBasics, loadPlatforms, platforms } from "../store.js";
import { Avatar } from "../components/avatar.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Field } from "../components/field.js";
import { FormDialog, useForm } from "../components/form.js";
import { ProfileField, firstProfile } from "../components/profile-field.js";
import { toast, toastProblem } from "../components/toasts.js";

/** @typedef {import("signalpost/api").Schemas["Platform"]} Platform */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */

/** @param {{account?: PlatformAccount, onClose: () => void, onDone: () => Promise<void>}} props */
export function Connect({ account, onClose, onDone }) {
  const [key, setKey] = useState(account?.platform ?? "");
  useEffect(() => {
    Promise.all([loadBasics(), loadPlatforms()]).catch(toastProblem);
  }, []);
  const platform = platforms.value?.find((network) => network.platform === key);
  if (!platform) return html`<${Networks} onChoose=${setKey} onClose=${onClose} />`;
  const isForm = platform.modes.includes("credentials") && !platform.modes.includes("oauth");
  const Form = isForm ? ByForm : AtNetwork;
  return html`<${Form} platform=${platform} account=${account} onClose=${onClose} onDone=${onDone} />`;
}

/** @param {{onChoose: (platform: string) => void, onClose: () => void}} props */
function Networks({ onChoose, onClose }) {
  const able = (platforms.value ?? [])
    .filter((network) => network.available)
    .sort((a, b) => Number(b.configured) - Number(a.configured));
  return html`
    <${Dialog} title=${t("Connect an account")} onClose=${onClose} wide>
      <div class="chips even">
        ${able.map((network) => html`
          <button
            type="button"
            class="chip"
            key=${network.platform}
            onClick=${() => onChoose(network.platform)}
          >
            <${Avatar} name=${network.name} />
            <span>
              <strong>${network.name}</strong>
              <span class="soft">
                ${network.configured ? t("ready") : t("the operator sets it up first")}
              </span>
            </span>
          </button>
        `)}
      </div>
    <//>
  `;
}

/**
 * @typedef {{
 *   platform: Platform, account: PlatformAccount | undefined,
 *   onClose: () => void, onDone: () => Promise<void>
 * }} Props
 */

/** @param {Props} props */
const titleOf = ({ account, platform }) =>
  account
    ? t("Reconnect {name}", { name: account.username })
    : t("Connect {network}", { network: platform.name });

/** @param {PlatformAccount | undefined} account */
const profileOf = (account) => account?.profileId ?? firstProfile();

/** By what the network wants to know. @param {Props} props */
function ByForm(props) {
  const { platform, account, onClose, onDone } = props;
  const form = useForm(
    /** @type {Record<string, string>} */ ({ profileId: profileOf(account) }),
    async ({ profileId, ...fields }) => {
      await post(`/platforms/${platform.platform}/connect`, {
        profileId,
        fields,
        ...(account ? { accountId: account.id } : {}),
      });
      await onDone();
      toast(t("Connected."));
      onClose();
    },
  );
  return html`
    <${FormDialog} title=${titleOf(props)} form=${form} submit=${t("Connect")} onClose=${onClose}>
      ${!account && html`<${ProfileField} ...${form.field("profileId")} />`}
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

/** By agreeing at the network. @param {Props} props */
function AtNetwork(props) {
  const { platform, account, onClose, onDone } = props;
  const [url, setUrl] = useState("");
  const form = useForm(
    { profileId: profileOf(account), instanceUrl: undefined },
    async ({ profileId, instanceUrl }) => {
      const begun = await get(`/platforms/${platform.platform}/auth-url`, {
        profileId,
        accountId: account?.id,
        instanceUrl,
      });
      setUrl(begun.url ?? begun.authUrl ?? "");
    },
  );
  if (url)
    return html`
      <${Continue}
        title=${titleOf(props)}
        platform=${platform}
        url=${url}
        onClose=${() => {
          onClose();
          void onDone();
        }}
      />
    `;
  return html`
    <${FormDialog} title=${titleOf(props)} form=${form} submit=${t("Continue")} onClose=${onClose}>
      ${!account && html`<${ProfileField} ...${form.field("profileId")} />`}
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

/** @param {{title: string, platform: Platform, url: string, onClose: () => void}} props */
function Continue({ title, platform, url, onClose }) {
  return html`
    <${Dialog}
      title=${title}
      onClose=${onClose}
      actions=${
        html`<${Button} kind="primary" onClick=${onClose}>
          ${t("Done")}
        <//>`
      }
    >
      <p>${t("Agree at the network, in a window of its own; then come back here.")}</p>
      <a class="button primary" href=${url} target="_blank" rel="noopener">
        <${Icon} name="link" />
        <span>${t("Continue at {network}", { network: platform.name })}</span>
      </a>
    <//>
  `;
}
