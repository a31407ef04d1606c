// What stands in the way of a draft, and what can be decided about it: it was refused, it is a duplicate,
// another changed it or took it on.
import { html, useState } from "../html.js";
import { Problem, get, newKey, post as send } from "../api.js";
import { Icon } from "../icons.js";
import { t } from "../i18n.js";
import { bodyOf, draftOf } from "../draft.js";
import { useAction, useLoad } from "../hooks.js";
import { PostState } from "../post-parts.js";
import { to } from "../router.js";
import { accountOf, me } from "../store.js";
import { Time } from "../time.js";
import { Button, LinkButton } from "../components/button.js";
import { ProblemBox } from "../components/problem-box.js";
import { useChanges } from "./composer-draft.js";
import { namesOf } from "./composer-fields.js";
import { merge, separate, settle } from "./composer-merge.js";

/** @typedef {import("../html.js").Children} Children */
/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("./composer-draft.js").Saving} Saving */
/** @typedef {import("./composer-draft.js").Submit} Submit */
/** @typedef {import("signalpost/api").Schemas["Post"]} Post */

/** @param {{saver: Saving, refused: unknown, submit: Submit}} props */
export default function Notices({ saver, refused, submit }) {
  useChanges(saver);
  return html`
    ${refused && html`<${Refusal} problem=${refused} submit=${submit} />`}
    ${!saver.isKept && html`
      <${NoticeBox} tone="warn">
        ${t("This browser has no room left: what you write is kept once it is saved.")}
      <//>
    `}
    ${saver.moved && html`<${Moved} saver=${saver} post=${saver.moved.post} />`}
    ${saver.conflict && html`<${Conflict} saver=${saver} post=${saver.conflict.post} />`}
    ${saver.news && html`<${News} saver=${saver} news=${saver.news} />`}
  `;
}

/** @param {{tone: string, children?: Children, actions?: Children}} props */
const NoticeBox = ({ tone, children, actions }) => html`
  <div class=${`notice ${tone}`} role=${tone === "warn" ? "alert" : "status"}>
    <${Icon} name=${tone === "warn" ? "warn" : "dot"} />
    <div class="grow">
      <p>${children}</p>
      ${actions && html`<div class="actions">${actions}</div>`}
    </div>
  </div>
`;

/**
 * Why it was not taken; a duplicate can be published all the same.
 * @param {{problem: unknown, submit: Submit}} props
 */
function Refusal({ problem, submit }) {
  const original =
    problem instanceof Problem && problem.code === "duplicate_content" && problem.document.existingPostId;
  return html`
    <${ProblemBox} problem=${problem} />
    ${original && html`
      <p class="actions">
        <${LinkButton} href=${to(`posts/${original}`)}>${t("Look at the other post")}<//>
        <${Button} icon="send" onClick=${() => submit("send", true)}>
          ${t("Publish it all the same")}
        <//>
      </p>
    `}
  `;
}

/** Who changed a post last, and when. @param {{post: Post}} props */
function Who({ post }) {
  const loaded = useLoad(
    () => get(`/posts/${post.id}/audit`, { limit: 20 }, { quiet: true }),
    [post.id, post.version],
  );
  const entry = loaded.data?.data.find(({ changes }) => changes?.length);
  if (!entry) return t("This draft was changed elsewhere.");
  const { actor, at } = entry;
  const name =
    actor.id === me.value.user.id
      ? t("You changed this draft in another window.")
      : t("{name} changed this draft.", { name: actor.name ?? t("A program") });
  return html`
    <strong>${name}</strong> <${Time} at=${at} kind="relative" />
  `;
}

/** @param {{saver: Saving, news: NonNullable<Saving["news"]>}} props */
function News({ saver, news }) {
  const close = () => {
    saver.news = null;
    saver.render();
  };
  return html`
    <${NoticeBox}
      tone=""
      actions=${
        html`<${Button} kind="quiet" onClick=${close}>
          ${t("All right")}
        <//>`
      }
    >
      <${Who} post=${news.post} /> ${t("You see it here: {fields}.", { fields: namesOf(news.changed) })}
    <//>
  `;
}

/** @param {{saver: Saving, post: Post | null}} props */
function Moved({ saver, post }) {
  const [busy, begin] = useAction(() => separate(saver));
  const actions = html`
    ${post && html`<${LinkButton} href=${to(`posts/${post.id}`)}>${t("Look at it")}<//>`}
    <${Button} busy=${busy} onClick=${begin}>
      ${t("Go on with a draft of its own")}
    <//>
  `;
  return html`
    <${NoticeBox} tone="warn" actions=${actions}>
      ${post ? html`
        ${t("The post is no longer what it was when you opened it:")} <${PostState} post=${post} />
      ` : (
        t("The post was deleted.")
      )}${" "}
      ${t("What you wrote is kept in this browser.")}
    <//>
  `;
}

/** @param {{saver: Saving, post: Post}} props */
function Conflict({ saver, post }) {
  useChanges(saver);
  const { mine, theirs, conflicts } = merge(saver.draft, saver.base, draftOf(post)); // who waits may write on
  const [comparing, setComparing] = useState(false);
  const [taking, take] = useAction(async () => {
    await copy(mine, newKey());
    settle(saver, post, theirs);
  });
  const [keeping, keep] = useAction(async () => {
    await copy(theirs, `console-theirs-${post.id}-${post.version}`);
    settle(saver, post, mine);
  });
  const actions = html`
    <${Button} busy=${taking} onClick=${take}>
      ${t("Take the other")}
    <//>
    <${Button} busy=${keeping} onClick=${keep}>
      ${t("Keep mine")}
    <//>
    <${Button} kind="quiet" aria-expanded=${String(comparing)} onClick=${() => setComparing(!comparing)}>
      ${t("Compare")}
    <//>
  `;
  return html`
    <${NoticeBox} tone="warn" actions=${actions}>
      <${Who} post=${post} />${" "}
      ${t("Both of you changed: {fields}. What you do not choose becomes a draft of its own.", {
        fields: namesOf(conflicts),
      })}
    <//>
    ${comparing && html`<${Compared} mine=${mine} theirs=${theirs} fields=${conflicts} />`}
  `;
}

/** Keep what is not chosen. @param {Draft} draft @param {string} key */
const copy = (draft, key) =>
  send("/posts", bodyOf({ ...draft, id: "", version: 0, hasTargets: false }, "draft"), { key });

/** @param {{mine: Draft, theirs: Draft, fields: string[]}} props */
const Compared = ({ mine, theirs, fields }) => html`
  <div class="columns">
    <${Side} name=${t("Mine")} draft=${mine} fields=${fields} />
    <${Side} name=${t("The other")} draft=${theirs} fields=${fields} />
  </div>
`;

/** @param {{name: string, draft: Draft, fields: string[]}} props */
const Side = ({ name, draft, fields }) => html`
  <section>
    <h2>${name}</h2>
    ${fields.map((field) => html`
      <h3>${namesOf([field])}</h3>
      <p class="post-text" dir="auto">
        ${shownOf(draft[/** @type {keyof Draft} */ (field)])}
      </p>
    `)}
  </section>
`;

/** @param {unknown} value of a field @returns {string} */
function shownOf(value) {
  if (typeof value === "string") return value || t("Nothing");
  const texts = Object.values(value ?? {}).map((item) =>
    typeof item === "string" ? (accountOf(item)?.username ?? item) : (item.name ?? item.text ?? ""),
  );
  return texts.filter(Boolean).join("\n\n") || t("Nothing");
}
