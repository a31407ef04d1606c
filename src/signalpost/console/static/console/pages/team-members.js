// Who works here, and what each may do.
import { html, useState } from "../html.js";
import { all, patch, post, remove } from "../api.js";
import { t } from "../i18n.js";
import { useAction, useLoad } from "../hooks.js";
import { loadBasics, may, me, profiles } from "../store.js";
import { Time } from "../time.js";
import { Avatar } from "../components/avatar.js";
import { Badge } from "../components/badge.js";
import { Button } from "../components/button.js";
import { CheckList } from "../components/check-list.js";
import { ConfirmDialog } from "../components/confirm-dialog.js";
import { Dialog } from "../components/dialog.js";
import { Check, Field } from "../components/field.js";
import { FormDialog, useForm } from "../components/form.js";
import { lazy } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { Card } from "../components/page.js";
import { profileOptions } from "../components/profile-field.js";
import { SecretDialog } from "../components/secret-dialog.js";
import { Table } from "../components/table.js";
import { toast } from "../components/toasts.js";

const ROLES = () =>
  /** @type {[string, string, string][]} */ ([
    ["admin", t("Admin"), t("everything, but not the owner's rights")],
    ["editor", t("Editor"), t("writes and publishes, connects accounts, makes keys")],
    ["contributor", t("Contributor"), t("writes; someone else approves")],
    ["approver", t("Approver"), t("reads, and approves posts")],
    ["viewer", t("Viewer"), t("reads")],
  ]);

/** @param {string} role */
const roleName = (role) =>
  role === "owner" ? t("Owner") : (ROLES().find(([key]) => key === role)?.[1] ?? role);

/** @typedef {import("signalpost/api").Schemas["Member"]} Member */
/** @typedef {import("signalpost/api").Schemas["InvitedMember"]} InvitedMember */
/** @typedef {{role: string, profileIds: string[] | null}} RightsOf */

/** @param {{isInviting: boolean}} props whether the page opens with the form for an invitation */
export function Members({ isInviting }) {
  const loaded = useLoad(async () => {
    await loadBasics();
    return all("/team");
  }, []);
  const [inviting, setInviting] = useState(isInviting && may("team:write"));
  const [changing, setChanging] = useState(/** @type {Member | null} */ (null));
  const close = () => {
    setInviting(false);
    setChanging(null);
    void loaded.reload();
  };
  return html`
    ${may("team:write") && html`
      <p>
        <${Button} kind="primary" icon="plus" onClick=${() => setInviting(true)}>
          ${t("Invite someone")}
        <//>
      </p>
    `}
    <${Loaded} loaded=${loaded}>
      ${(/** @type {typeof loaded.data} */ members) => html`
        <${Table}
          label=${t("Members")}
          columns=${[t("Person"), t("Role"), t("Clients"), t("State"), t("Last active"), ""]}
          rows=${members.map((member) => ({ key: member.id, cells: cellsOf(member, setChanging) }))}
          cut=${members.cut}
        />
        <${Card} title=${t("What each role may do")}>
          <dl class="facts">
            <dt>${t("Owner")}</dt>
            <dd>${t("everything, and gives the workspace to another")}</dd>
            ${ROLES().map(([, name, text]) => html`
              <dt>${name}</dt>
              <dd>${text}</dd>
                `)}
          </dl>
        <//>
        `}
    <//>
    ${inviting && html`<${Invite} onClose=${close} />`}
    ${changing && html`<${Change} member=${changing} onClose=${close} />`}
  `;
}

/** @param {RightsOf & {change: (values: Partial<RightsOf>) => void}} props */
function Rights({ role, profileIds, change }) {
  const options = profileOptions();
  return html`
    <${Field}
      label=${t("Role")}
      options=${ROLES().map(([key, name]) => [key, name])}
      value=${role}
      hint=${ROLES().find(([key]) => key === role)?.[2]}
      onInput=${(/** @type {string} */ value) => change({ role: value })}
    />
    ${options.length > 1 && html`
      <div role="group" aria-label=${t("Clients")}>
        <${Check}
          label=${t("All clients")}
          checked=${!profileIds}
          onChange=${(/** @type {boolean} */ on) => change({ profileIds: on ? null : [options[0][0]] })}
        />
        ${profileIds && html`
          <${CheckList}
            options=${options}
            value=${profileIds}
            onInput=${(/** @type {string[]} */ ids) => change({ profileIds: ids })}
          />
        `}
      </div>
    `}
  `;
}

/** @param {{onClose: () => void}} props */
function Invite({ onClose }) {
  const [invitation, setInvitation] = useState(/** @type {InvitedMember | null} */ (null));
  const form = useForm(
    { email: "", role: "editor", profileIds: /** @type {string[] | null} */ (null), message: "" },
    async (values) =>
      setInvitation(await post("/team/invite", { ...values, message: values.message || null })),
  );
  if (invitation)
    return html`
      <${SecretDialog}
        title=${t("Invited")}
        note=${
          invitation.emailed
            ? t("A mail with this link is on its way.")
            : t("No mail was sent. Send this link yourself:")
        }
        secret=${invitation.inviteUrl}
        copy=${t("Copy the link")}
        onClose=${onClose}
      />
    `;
  return html`
    <${FormDialog} title=${t("Invite someone")} form=${form} submit=${t("Invite")} onClose=${onClose}>
      <${Field} label=${t("E-mail")} type="email" autofocus ...${form.field("email")} />
      <${Rights} role=${form.values.role} profileIds=${form.values.profileIds} change=${form.change} />
      <${Field} label=${t("Message")} rows=${3} maxlength="500" ...${form.field("message")} />
    <//>
  `;
}

/** @param {{member: Member, onClose: () => void}} props */
function Change({ member, onClose }) {
  const [fields, setFields] = useState(
    /** @type {RightsOf} */ ({ role: member.role, profileIds: member.profileIds }),
  );
  const [removing, setRemoving] = useState(false);
  const [giving, setGiving] = useState(false);
  const name = member.name ?? member.email;
  const act = (/** @type {object} */ values) => async () => {
    await patch(`/team/${member.id}`, values);
    onClose();
  };
  const [busy, save] = useAction(act(fields));
  const [suspending, suspend] = useAction(
    act({ status: member.status === "suspended" ? "active" : "suspended" }),
  );
  if (giving) return html`<${MakeOwner} member=${member} name=${name} onClose=${onClose} />`;
  if (removing) return html`<${Remove} member=${member} name=${name} onClose=${onClose} />`;
  return html`
    <${Dialog}
      title=${name}
      onClose=${onClose}
      onSubmit=${save}
      actions=${
        html`
          <${Button} kind="danger" onClick=${() => setRemoving(true)}>
            ${t("Remove")}
          <//>
          ${me.value.role === "owner" && member.status === "active" && html`
            <${Button} onClick=${() => setGiving(true)}>${t("Make the owner")}<//>
          `}
          ${member.status !== "invited" && html`
            <${Button} busy=${suspending} onClick=${suspend}>
              ${member.status === "suspended" ? t("Let in again") : t("Suspend")}
            <//>
          `}
          <${Button} kind="primary" type="submit" busy=${busy}>
            ${t("Save")}
          <//>
        `
      }
    >
      <${Rights}
        role=${fields.role}
        profileIds=${fields.profileIds}
        change=${(/** @type {Partial<RightsOf>} */ values) => setFields({ ...fields, ...values })}
      />
    <//>
  `;
}

const MakeOwner = lazy(() => import("./team-transfer.js"));

/** @param {Member} member @param {(member: Member) => void} onChange */
const cellsOf = (member, onChange) => [
  html`<span class="name">
    <${Avatar} name=${member.name ?? member.email} />
    <span>
      ${member.name ?? member.email}
      ${member.userId === me.value.user.id ? ` (${t("you")})` : ""}
      <br />
      <span class="soft small">${member.name ? member.email : ""}</span>
    </span>
  </span>`,
  roleName(member.role),
  member.profileIds
    ? member.profileIds
        .map((/** @type {string} */ id) => profiles.value?.find((profile) => profile.id === id)?.name ?? id)
        .join(", ")
    : t("all"),
  html`<${Badge} state=${member.status} />`,
  html`<${Time} at=${member.lastActiveAt} kind="relative" />`,
  may("team:write") &&
    member.role !== "owner" &&
    member.userId !== me.value.user.id &&
    ["active", "suspended", "invited"].includes(member.status) && html`
      <${Button}
        aria-label=${t("Change {name}", { name: member.name ?? member.email })}
        onClick=${() => onChange(member)}
      >
        ${t("Change")}
      <//>
    `,
];

/** @param {{member: Member, name: string, onClose: () => void}} props */
function Remove({ member, name, onClose }) {
  const act = async () => {
    await remove(`/team/${member.id}`);
    toast(t("{name} is no longer a member.", { name }));
    onClose();
  };
  return html`
    <${ConfirmDialog}
      title=${t("Remove {name}?", { name })}
      confirm=${t("Remove")}
      keep=${t("Keep")}
      act=${act}
      onClose=${onClose}
    >
      <p>${t("Their sessions and keys for this workspace end at once. What they wrote stays.")}</p>
    <//>
  `;
}
