// Links by which other people connect their accounts.
import { html, useState } from "../html.js";
import { all, post, remove } from "../api.js";
import { t } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { networkName, platforms } from "../store.js";
import { Time } from "../time.js";
import { Badge } from "../components/badge.js";
import { Button } from "../components/button.js";
import { CheckList } from "../components/check-list.js";
import { Empty } from "../components/empty.js";
import { Field } from "../components/field.js";
import { FormDialog, useForm } from "../components/form.js";
import { List } from "../components/list.js";
import { ProfileField, firstProfile } from "../components/profile-field.js";
import { SecretDialog } from "../components/secret-dialog.js";
import { toast, toastProblem } from "../components/toasts.js";

/** @typedef {import("signalpost/api").Schemas["CreatedPlatformInvite"]} CreatedPlatformInvite */
/** @typedef {import("signalpost/api").Schemas["PlatformInvite"]} PlatformInvite */

/** @param {{profileId: string}} props */
export function Invites({ profileId }) {
  const loaded = useLoad(() => all("/platform-invites", { profileId }, 200), [profileId]);
  const [making, setMaking] = useState(false);
  const revoke = (/** @type {PlatformInvite} */ invite) =>
    remove(`/platform-invites/${invite.id}`)
      .then(() => toast(t("The link no longer works.")), toastProblem)
      .then(loaded.reload);
  const button = html`
    <${Button} kind="primary" icon="plus" onClick=${() => setMaking(true)}>
      ${t("Invite someone")}
    <//>
  `;
  return html`
    <${List}
      loaded=${loaded}
      label=${t("Invitations")}
      columns=${[t("For"), t("Networks"), t("State"), t("Ends"), ""]}
      action=${button}
      empty=${
        html`<${Empty} title=${t("No invitations")} icon="link" action=${button}>
          ${t(
            "Send a link to whoever has the password of an account: they connect it without a login here, and see nothing else.",
          )}
        <//>`
      }
      row=${(/** @type {PlatformInvite} */ invite) => ({
        key: invite.id,
        cells: [
          invite.label ?? invite.email ?? t("anyone with the link"),
          invite.platforms.map(networkName).join(", "),
          html`<${Badge} state=${invite.status} />`,
          html`<${Time} at=${invite.expiresAt} />`,
          ["pending", "opened", "partially_connected"].includes(invite.status) && html`
            <${Button} kind="danger" onClick=${() => revoke(invite)}>
              ${t("Revoke")}
            <//>
          `,
        ],
      })}
    />
    ${making && html`
      <${Invite}
        onClose=${() => {
          setMaking(false);
          void loaded.reload();
        }}
      />
    `}
  `;
}

/** @param {{onClose: () => void}} props */
function Invite({ onClose }) {
  const [invite, setInvite] = useState(/** @type {CreatedPlatformInvite | null} */ (null));
  const form = useForm(
    {
      profileId: firstProfile(),
      platforms: /** @type {string[]} */ ([]),
      label: "",
      message: "",
    },
    async ({ label, message, ...values }) =>
      setInvite(
        await post("/platform-invites", { ...values, label: label || null, message: message || null }),
      ),
  );
  const ready = (platforms.value ?? []).filter((network) => network.available && network.configured);
  if (invite)
    return html`
      <${SecretDialog}
        title=${t("Send this link")}
        note=${t("It is shown only now.")}
        secret=${invite.url}
        onClose=${onClose}
      />
    `;
  return html`
    <${FormDialog}
      title=${t("Invite someone")}
      form=${form}
      submit=${t("Make the link")}
      disabled=${!form.values.platforms.length}
      onClose=${onClose}
    >
      <${Field}
        label=${t("For")}
        hint=${t("So that you recognise it in the list")}
        maxlength="100"
        autofocus
        ...${form.field("label")}
      />
      <${ProfileField} ...${form.field("profileId")} />
      <div role="group" aria-label=${t("Networks")}>
        <div class="legend">${t("Networks")}</div>
        <${CheckList}
          options=${ready.map((network) => [network.platform, network.name])}
          ...${form.field("platforms")}
        />
      </div>
      <${Field} label=${t("Message")} rows=${3} maxlength="500" ...${form.field("message")} />
    <//>
  `;
}
