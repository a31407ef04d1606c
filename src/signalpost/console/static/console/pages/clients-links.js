// Links: what one client publishes also goes out at another.
import { html, useState } from "../html.js";
import { all, get, post, remove } from "../api.js";
import { Button } from "../components/button.js";
import { ConfirmDialog } from "../components/confirm-dialog.js";
import { Empty } from "../components/empty.js";
import { Check, Field } from "../components/field.js";
import { FormDialog, useForm } from "../components/form.js";
import { List } from "../components/list.js";
import { Card } from "../components/page.js";
import { activeOptions, profileOptions } from "../components/profile-field.js";
import { toast } from "../components/toasts.js";
import { useLoad } from "../hooks.js";
import { t, tn } from "../i18n.js";
import { to } from "../router.js";
import { loadBasics, may } from "../store.js";
import { Time } from "../time.js";

/** @typedef {import("signalpost/api").Schemas["ProfileLink"]} Link */
/** @typedef {import("signalpost/api").Schemas["LinkHistory"]} Entry */

/** @param {string} id */
const nameOf = (id) => Object.fromEntries(profileOptions())[id] ?? t("a deleted client");

export default function Links() {
  const loaded = useLoad(async () => {
    await loadBasics();
    return all("/profiles/links");
  }, []);
  const history = useLoad(() => get("/profiles/links/history", { limit: 50 }), []);
  const [editing, setEditing] = useState(/** @type {Link | "new" | null} */ (null));
  const [ending, setEnding] = useState(/** @type {Link | null} */ (null));
  const close = () => {
    setEditing(null);
    setEnding(null);
  };
  const done = async () => {
    close();
    await Promise.all([loaded.reload(), history.reload()]);
  };
  const add = may("profiles:write") && activeOptions().length > 1 && html`
    <${Button} kind="primary" icon="plus" onClick=${() => setEditing("new")}>
      ${t("Link two clients")}
    <//>
  `;
  return html`
    <${List}
      loaded=${loaded}
      label=${t("Links between clients")}
      columns=${[t("Posts of"), t("Also go out at"), t("How"), ""]}
      action=${add}
      empty=${
        html`<${Empty} title=${t("No clients are linked")} icon="link" action=${add}>
          ${t("What a chain publishes can go out at its shops too, each with words of its own in front.")}
        <//>`
      }
      row=${(/** @type {Link} */ link) => ({
        key: link.id,
        cells: [
          html`<span dir="auto">${nameOf(link.parentProfileId)}</span>`,
          html`<span dir="auto">${nameOf(link.childProfileId)}</span>`,
          howOf(link.rules),
          may("profiles:write") && html`<${Buttons} link=${link} edit=${setEditing} end=${setEnding} />`,
        ],
      })}
    />
    <${Card} title=${t("What the links did")}>
      <${List}
        loaded=${history}
        label=${t("What the links did")}
        columns=${[t("What"), t("Posts of"), t("Also go out at"), t("Time")]}
        empty=${html`<p class="soft">${t("Nothing yet.")}</p>`}
        row=${(/** @type {Entry} */ entry) => ({ key: entry.id, cells: cellsOf(entry) })}
      />
    <//>
    ${editing && html`
      <${Edit} link=${editing === "new" ? null : editing} onClose=${close} onDone=${done} />
    `}
    ${ending && html`<${End} link=${ending} onClose=${close} onDone=${done} />`}
  `;
}

/** @param {{link: Link, edit: (link: Link) => void, end: (link: Link) => void}} props */
function Buttons({ link, edit, end }) {
  const name = nameOf(link.childProfileId);
  return html`
    <span class="actions">
      <${Button} aria-label=${t("Change {name}", { name })} onClick=${() => edit(link)}>
        ${t("Change")}
      <//>
      <${Button}
        kind="danger"
        aria-label=${t("End the link to {name}", { name })}
        onClick=${() => end(link)}
      >
        ${t("End")}
      <//>
    </span>
  `;
}

/** @param {Link["rules"]} rules */
const howOf = (rules) =>
  rules.autoRepost
    ? [
        rules.asDraft ? t("as a draft") : t("by itself"),
        rules.delayMinutes > 0 && tn(rules.delayMinutes, "{n} minute later", "{n} minutes later"),
        rules.captionPrefix && `“${rules.captionPrefix.trim()}”`,
      ]
        .filter(Boolean)
        .join(", ")
    : t("only when someone passes a post on");

/** @param {Entry} entry */
const cellsOf = (entry) => {
  const words = {
    linked: t("Linked"),
    rules_updated: t("Changed"),
    unlinked: t("Link ended"),
    reposted: t("Passed on"),
    repost_skipped: t("Not passed on"),
    repost_failed: t("Could not be passed on"),
  };
  const postId = entry.createdPostId ?? entry.sourcePostId;
  return [
    postId ? html`<a href=${to(`posts/${postId}`)}>${words[entry.action]}</a>` : words[entry.action],
    html`<span dir="auto">${nameOf(entry.parentProfileId)}</span>`,
    html`<span dir="auto">${nameOf(entry.childProfileId)}</span>`,
    html`<${Time} at=${entry.createdAt} />`,
  ];
};

/** @param {{link: Link | null, onClose: () => void, onDone: () => Promise<void>}} props */
function Edit({ link, onClose, onDone }) {
  const options = link ? profileOptions() : activeOptions();
  const rules = link?.rules;
  const form = useForm(
    {
      parentProfileId: link?.parentProfileId ?? options[0][0],
      childProfileId: link?.childProfileId ?? options[1][0],
      autoRepost: rules?.autoRepost ?? true,
      captionPrefix: rules?.captionPrefix ?? "",
      delayMinutes: String(rules?.delayMinutes ?? 0),
      asDraft: rules?.asDraft ?? false,
    },
    async ({ parentProfileId, childProfileId, ...values }) => {
      await post("/profiles/links", {
        parentProfileId,
        childProfileId,
        rules: {
          ...values,
          captionPrefix: values.captionPrefix || null,
          delayMinutes: Number(values.delayMinutes),
          platforms: rules?.platforms ?? null,
          languageOverride: rules?.languageOverride ?? null,
        },
      });
      toast(t("Saved."));
      await onDone();
    },
  );
  return html`
    <${FormDialog}
      title=${link ? t("Change the link") : t("Link two clients")}
      form=${form}
      submit=${t("Save")}
      onClose=${onClose}
    >
      ${!link && html`
        <${Field} label=${t("Posts of")} options=${options} ...${form.field("parentProfileId")} />
        <${Field} label=${t("Also go out at")} options=${options} ...${form.field("childProfileId")} />
      `}
      <${Check}
        label=${t("Pass every post on")}
        hint=${t("Otherwise only what someone passes on.")}
        ...${form.check("autoRepost")}
      />
      <${Check} label=${t("As drafts, for someone to look at")} ...${form.check("asDraft")} />
      <${Field}
        label=${t("Words in front")}
        hint=${t("Such as “From our bakery: ”.")}
        maxlength="100"
        ...${form.field("captionPrefix")}
      />
      <${Field} label=${t("Minutes later")} type="number" min="0" ...${form.field("delayMinutes")} />
    <//>
  `;
}

/** @param {{link: Link, onClose: () => void, onDone: () => Promise<void>}} props */
function End({ link, onClose, onDone }) {
  const act = async () => {
    await remove(`/profiles/links/${link.id}`);
    toast(t("The link has ended."));
    await onDone();
  };
  return html`
    <${ConfirmDialog}
      title=${t("End the link to {name}?", { name: nameOf(link.childProfileId) })}
      confirm=${t("End it")}
      act=${act}
      onClose=${onClose}
    >
      <p>${t("Nothing more is passed on. Posts that were passed on stay.")}</p>
    <//>
  `;
}
