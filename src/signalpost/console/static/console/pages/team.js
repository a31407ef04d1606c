// Who works here and what each may do; the workspace itself; what was done by whom.
import { html, useState } from "../html.js";
import { all, get, patch, post, remove } from "../api.js";
import { t } from "../i18n.js";
import { limitName } from "../limits.js";
import { may, me, profiles, loadBasics, reloadMe, workspaces } from "../store.js";
import { Time } from "../time.js";
import { useAction, useLoad } from "../hooks.js";
import { Avatar } from "../components/avatar.js";
import { Badge } from "../components/badge.js";
import { Button } from "../components/button.js";
import { Copy } from "../components/copy.js";
import { Dialog } from "../components/dialog.js";
import { Check, Field } from "../components/field.js";
import { lazy } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { Card, Page } from "../components/page.js";
import { ProblemBox } from "../components/problem-box.js";
import { Table } from "../components/table.js";
import { Tabs } from "../components/tabs.js";
import { toast, toastProblem } from "../components/toasts.js";
import { sentence } from "./post.js";

const Owner = lazy(() => import("./team-export.js"));
const MakeOwner = lazy(() => import("./team-transfer.js"));
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

/** @param {{id: string}} props */
export default function Team({ id }) {
  const tabs = [
    ["", t("Members")],
    ["workspace", t("Workspace")],
    ["history", t("History")],
  ];
  const content =
    id === "workspace" ? html`
      <${Workspace} />
    ` : id === "history" ? html`
      <${History} />
    ` : html`
      <${Members} />
    `;
  return html`
    <${Page} title=${t("Team")}>
      <${Tabs} label=${t("Team")} path="team" current=${id} tabs=${tabs} />
      ${content}
    <//>
  `;
}

function Members() {
  const loaded = useLoad(async () => {
    await loadBasics();
    return all("/team");
  }, []);
  const [inviting, setInviting] = useState(false);
  const [changing, setChanging] = useState(/** @type {any} */ (null));
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
      ${(/** @type {any[] & {cut?: boolean}} */ members) => html`
        <${Table}
          label=${t("Members")}
          columns=${[t("Person"), t("Role"), t("Profiles"), t("State"), t("Last active"), ""]}
          rows=${members.map((member) => ({
            key: member.id,
            cells: [
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
                    .map(
                      (/** @type {string} */ id) =>
                        profiles.value?.find((profile) => profile.id === id)?.name ?? id,
                    )
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
                    onClick=${() => setChanging(member)}
                  >
                    ${t("Change")}
                  <//>
                `,
            ],
          }))}
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

/** @param {{role: string, profileIds: string[] | null, change: (values: any) => void}} props */
function Rights({ role, profileIds, change }) {
  return html`
    <${Field}
      label=${t("Role")}
      options=${ROLES().map(([key, name]) => [key, name])}
      value=${role}
      hint=${ROLES().find(([key]) => key === role)?.[2]}
      onInput=${(/** @type {string} */ value) => change({ role: value })}
    />
    ${(profiles.value?.length ?? 0) > 1 && html`
      <div role="group" aria-label=${t("Profiles")}>
        <${Check}
          label=${t("All profiles")}
          checked=${!profileIds}
          onChange=${(/** @type {boolean} */ on) =>
            change({ profileIds: on ? null : [profiles.value?.[0].id] })
          }
        />
        ${profileIds &&
          profiles.value?.map((profile) => html`
            <${Check}
              key=${profile.id}
              label=${profile.name}
              checked=${profileIds.includes(profile.id)}
              onChange=${(/** @type {boolean} */ on) =>
                change({
                  profileIds: on
                    ? [...profileIds, profile.id]
                    : profileIds.filter((id) => id !== profile.id),
                })
              }
            />
          `)}
      </div>
    `}
  `;
}

/** @param {{onClose: () => void}} props */
function Invite({ onClose }) {
  const [fields, setFields] = useState(
    /** @type {any} */ ({ email: "", role: "editor", profileIds: null, message: "" }),
  );
  const [invitation, setMade] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const change = (/** @type {any} */ values) => setFields({ ...fields, ...values });
  const [busy, send] = useAction(async () => {
    setProblem(null);
    await post("/team/invite", { ...fields, message: fields.message || null }).then(setMade, setProblem);
  });
  const errorOf = (/** @type {string} */ name) =>
    problem?.issues?.find((/** @type {any} */ issue) => issue.path === `/${name}`)?.message;
  if (invitation) {
    return html`
      <${Dialog}
        title=${t("Invited")}
        onClose=${onClose}
        actions=${
          html`
            <${Copy} text=${invitation.inviteUrl} label=${t("Copy the link")} />
            <${Button} kind="primary" onClick=${onClose}>
              ${t("Done")}
            <//>
          `
        }
      >
        <p>
          ${invitation.emailed
            ? t("A mail with this link is on its way.")
            : t("No mail was sent. Send this link yourself:")}
        </p>
        <pre tabindex="0">${invitation.inviteUrl}</pre>
      <//>
    `;
  }
  return html`
    <${Dialog}
      title=${t("Invite someone")}
      onClose=${onClose}
      onSubmit=${send}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Cancel")}<//>
          <${Button} kind="primary" type="submit" busy=${busy}>
            ${t("Invite")}
          <//>
        `
      }
    >
      ${problem && html`<${ProblemBox} problem=${problem} />`}
      <${Field}
        label=${t("E-mail")}
        type="email"
        value=${fields.email}
        error=${errorOf("email")}
        onInput=${(/** @type {string} */ email) => change({ email })}
        autofocus
      />
      <${Rights} role=${fields.role} profileIds=${fields.profileIds} change=${change} />
      <${Field}
        label=${t("Message")}
        rows=${3}
        maxlength="500"
        value=${fields.message}
        onInput=${(/** @type {string} */ message) => change({ message })}
      />
    <//>
  `;
}

/** @param {{member: any, onClose: () => void}} props */
function Change({ member, onClose }) {
  const [fields, setFields] = useState(
    /** @type {any} */ ({ role: member.role, profileIds: member.profileIds }),
  );
  const [removing, setRemoving] = useState(false);
  const [giving, setGiving] = useState(false);
  const name = member.name ?? member.email;
  const act = (/** @type {any} */ values) => async () => {
    await patch(`/team/${member.id}`, values);
    onClose();
  };
  const [busy, save] = useAction(act(fields));
  const [suspending, suspend] = useAction(
    act({ status: member.status === "suspended" ? "active" : "suspended" }),
  );
  const [ending, end] = useAction(async () => {
    await remove(`/team/${member.id}`);
    toast(t("{name} is no longer a member.", { name }));
    onClose();
  });
  if (giving) return html`<${MakeOwner} member=${member} name=${name} onClose=${onClose} />`;
  if (removing)
    return html`
      <${Dialog}
        title=${t("Remove {name}?", { name })}
        onClose=${onClose}
        onSubmit=${end}
        actions=${
          html`
            <${Button} onClick=${onClose}>${t("Keep")}<//>
            <${Button} kind="danger" type="submit" busy=${ending}>
              ${t("Remove")}
            <//>
          `
        }
      >
        <p>${t("Their sessions and keys for this workspace end at once. What they wrote stays.")}</p>
      <//>
    `;
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
        change=${(/** @type {any} */ values) => setFields({ ...fields, ...values })}
      />
    <//>
  `;
}

function Workspace() {
  /** @type {import("signalpost/api").Schemas["WorkspaceSummary"] & {redirectUrls?: string[]}} */
  const own =
    workspaces.value.find((candidate) => candidate.id === me.value.workspace.id) ?? me.value.workspace;
  const [fields, setFields] = useState({
    name: own.name,
    timezone: own.timezone,
    redirectUrls: (own.redirectUrls ?? []).join("\n"),
  });
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const usage = useLoad(() => get("/auth/usage"), []);
  const canChange = ["owner", "admin"].includes(me.value.role);
  const [busy, save] = useAction(async () => {
    setProblem(null);
    try {
      const saved = await patch(`/workspaces/${own.id}`, {
        ...fields,
        redirectUrls: fields.redirectUrls
          .split("\n")
          .map((/** @type {string} */ line) => line.trim())
          .filter(Boolean),
      });
      workspaces.value = workspaces.value.map((candidate) =>
        candidate.id === saved.id ? saved : candidate,
      );
      await reloadMe();
      toast(t("Saved."));
    } catch (error) {
      setProblem(error);
    }
  });
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) =>
    setFields({ ...fields, [name]: value });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    save().catch(toastProblem);
  };
  const zones = [...new Set([fields.timezone, "UTC", ...Intl.supportedValuesOf("timeZone")])].map(
    (name) => [name, name],
  );
  return html`
    <div class="columns">
      <${Card} title=${t("Workspace")}>
        <form onSubmit=${submit}>
          ${problem && html`<${ProblemBox} problem=${problem} />`}
          <${Field}
            label=${t("Name")}
            value=${fields.name}
            disabled=${!canChange}
            maxlength="100"
            onInput=${set("name")}
          />
          <${Field}
            label=${t("Time zone")}
            hint=${t("Times are shown in it. Posts that wait keep their moment.")}
            options=${zones}
            value=${fields.timezone}
            disabled=${!canChange}
            onInput=${set("timezone")}
          />
          <${Field}
            label=${t("Addresses to return to after connecting")}
            hint=${t("One per line; for programs that connect accounts.")}
            rows=${3}
            value=${fields.redirectUrls}
            disabled=${!canChange}
            onInput=${set("redirectUrls")}
          />
          ${canChange && html`
            <${Button} kind="primary" type="submit" busy=${busy}>
              ${t("Save")}
            <//>
          `}
        </form>
      <//>
      <${Card} title=${t("Use of the plan")}>
        <${Loaded} loaded=${usage}>
          ${(/** @type {any} */ data) => html`
            <p class="soft">${data.plan}</p>
            <dl class="facts">
              ${Object.entries(data.usage).map(([name, used]) => html`
                <dt>${limitName(name)}</dt>
                <dd>
                  ${new Intl.NumberFormat().format(/** @type {number} */ (used))}
                  ${data.limits[name] === null || data.limits[name] === undefined
                    ? ""
                    : ` / ${new Intl.NumberFormat().format(data.limits[name])}`}
                </dd>
                  `)}
            </dl>
            `}
        <//>
      <//>
    </div>
    ${me.value.role === "owner" && html`<${Owner} />`}
  `;
}

function History() {
  const loaded = useLoad(() => get("/audit", { limit: 100 }), []);
  return html`
    <${Loaded} loaded=${loaded}>
      ${(/** @type {any} */ page) => html`
        <${Table}
          label=${t("History")}
          columns=${[t("What"), t("Who"), t("Subject"), t("From"), t("Time")]}
          rows=${page.data.map((/** @type {any} */ entry) => ({
            key: entry.id,
            cells: [
              html`<span lang="en">${sentence(entry.action)}</span>`,
              entry.actor.name ?? entry.actor.type,
              entry.subject && html`<code>${entry.subject}</code>`,
              entry.address ?? "–",
              html`<${Time} at=${entry.at} />`,
            ],
          }))}
        />
      `}
    <//>
  `;
}
