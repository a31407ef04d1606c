// A feed: what becomes of its items, a look at them beforehand, and what became of those that came.
import { html, useState } from "../html.js";
import { all, get, newKey, patch, post } from "../api.js";
import { Badge } from "../components/badge.js";
import { Button } from "../components/button.js";
import { Check, Field } from "../components/field.js";
import { errorAt, useForm } from "../components/form.js";
import { lazyDialog } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { Card, Page } from "../components/page.js";
import { ProblemBox } from "../components/problem-box.js";
import { ProfileField, firstProfile } from "../components/profile-field.js";
import { toast } from "../components/toasts.js";
import { useAction, useLoad } from "../hooks.js";
import { t } from "../i18n.js";
import { go, to } from "../router.js";
import { loadBasics, may } from "../store.js";
import { Time } from "../time.js";
import { errorWords, heldWords, itemWords } from "./feeds-words.js";

/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */
/** @typedef {import("signalpost/api").Schemas["Feed"]} Feed */
/** @typedef {import("signalpost/api").Schemas["FeedPreviewed"]} Previewed */
/**
 * @typedef {{
 *   profileId: string, url: string, accountIds: string[] | null, template: string, include: string,
 *   exclude: string, publishMode: string, dailyMax: string, latest: string
 * }} Values
 */

const Delete = lazyDialog(() => import("./feeds-delete.js"));

/** @param {{id: string}} props */
export default function FeedPage({ id }) {
  const loaded = useLoad(async () => {
    await loadBasics();
    const accounts = await all("/platforms/accounts");
    return { feed: id === "new" ? null : await get(`/feeds/${id}`), accounts };
  }, [id]);
  return html`
    <${Loaded} loaded=${loaded}>
      ${(/** @type {typeof loaded.data} */ { feed, accounts }) => html`
        <${Editor} key=${feed?.version} feed=${feed} accounts=${accounts} reload=${loaded.reload} />
      `}
    <//>
  `;
}

const words = (/** @type {string} */ text) =>
  text
    .split(/[\n,]+/)
    .map((word) => word.trim())
    .filter(Boolean);

/** @param {Values} values */
const bodyOf = (values) => ({
  accountIds: values.accountIds,
  template: values.template,
  include: words(values.include),
  exclude: words(values.exclude),
});

/** @param {Event} event @param {{submit: () => Promise<void>}} form */
function sent(event, form) {
  event.preventDefault();
  void form.submit();
}

/** @param {{feed: Feed | null, accounts: PlatformAccount[], reload: () => Promise<void>}} props */
function Editor({ feed, accounts, reload }) {
  const [deleting, setDeleting] = useState(false);
  const [key] = useState(newKey);
  const form = useForm(
    /** @type {Values} */ ({
      profileId: feed?.profileId ?? firstProfile(),
      url: feed?.url ?? "",
      accountIds: feed?.accountIds ?? null,
      template: feed?.template ?? "{title}\n\n{link}",
      include: feed?.include.join(", ") ?? "",
      exclude: feed?.exclude.join(", ") ?? "",
      publishMode: feed?.publishMode ?? "draft",
      dailyMax: String(feed?.dailyMax ?? 5),
      latest: "0",
    }),
    async (values) => {
      const { publishMode, profileId, url } = values;
      const body = { ...bodyOf(values), publishMode, dailyMax: Number(values.dailyMax) };
      if (feed) {
        await patch(`/feeds/${feed.id}`, body, { headers: { "If-Match": `"${feed.version}"` } });
        toast(t("Saved."));
        await reload();
        return;
      }
      const latest = Number(values.latest);
      const { id } = await post("/feeds", { ...body, profileId, url, latest }, { key });
      toast(t("The feed is read from now on."));
      go(`feeds/${id}`, {}, { replace: true });
    },
  );
  return html`
    <${Page}
      title=${feed ? (feed.title ?? feed.url) : t("New feed")}
      subtitle=${html`<a href=${to("feeds")}>${t("All feeds")}</a>`}
      actions=${
        feed &&
        may("posts:write") && html`
          <${Button} kind="danger" icon="trash" onClick=${() => setDeleting(true)}>
            ${t("Delete")}
          <//>
        `
      }
    >
      <div class="columns">
        <${Card} title=${t("What becomes of its items")}>
          <form onSubmit=${(/** @type {Event} */ event) => sent(event, form)}>
            ${form.problem && html`<${ProblemBox} problem=${form.problem} />`}
            <fieldset disabled=${!may("posts:write")}>
              <${Fields} form=${form} feed=${feed} accounts=${accounts} />
            </fieldset>
            ${may("posts:write") && html`
              <${Button} kind="primary" type="submit" busy=${form.busy}>
                ${feed ? t("Save") : t("Add the feed")}
              <//>
            `}
          </form>
        <//>
        <div>
          ${feed && html`<${State} feed=${feed} reload=${reload} />`}
          ${may("posts:write") && html`<${Preview} values=${form.values} />`}
        </div>
      </div>
      ${feed && html`<${Items} feed=${feed} />`}
      ${deleting && feed && html`<${Delete} feed=${feed} onClose=${() => setDeleting(false)} />`}
    <//>
  `;
}

/** @typedef {import("../components/form.js").FormOf<Values>} FormOfFeed */

/** @param {{form: FormOfFeed, feed: Feed | null, accounts: PlatformAccount[]}} props */
function Fields({ form, feed, accounts }) {
  const mine = accounts.filter(({ profileId }) => profileId === form.values.profileId);
  return html`
    ${!feed && html`
      <${ProfileField}
        ...${form.field("profileId")}
        onInput=${(/** @type {string} */ profileId) => form.change({ profileId, accountIds: null })}
      />
      <${Field}
        label=${t("Address")}
        hint=${t("Of a blog or of its feed.")}
        type="url"
        required
        placeholder="https://"
        autofocus
        ...${form.field("url")}
      />
      `}
    <${Accounts} form=${form} accounts=${mine} />
    <${Field}
      label=${t("Text of a post")}
      hint=${t("{places} stand for what an item says.", {
        places: "{title} {summary} {link} {author} {categories}",
      })}
      rows="4"
      maxlength="5000"
      dir="auto"
      ...${form.field("template")}
    />
    <${Field}
      label=${t("Only with one of these words")}
      hint=${t("With commas between them; empty: everything.")}
      ...${form.field("include")}
    />
    <${Field} label=${t("Without these words")} ...${form.field("exclude")} />
    <${Field}
      label=${t("A new item becomes")}
      options=${[
        ["draft", t("a draft")],
        ["slot", t("a post at the next free time of the queue")],
        ["now", t("a post that is published at once")],
      ]}
      ...${form.field("publishMode")}
    />
    <${Field}
      label=${t("At most in a day")}
      hint=${t("Further items wait. If more come at once, the feed is held.")}
      type="number"
      min="1"
      max="50"
      ...${form.field("dailyMax")}
    />
    ${!feed && html`
      <${Field}
        label=${t("Of those that are there already, the latest")}
        hint=${t("0: only what comes from now on.")}
        type="number"
        min="0"
        max="20"
        ...${form.field("latest")}
      />
    `}
  `;
}

/** @param {{form: import("../components/form.js").FormOf<Values>, accounts: PlatformAccount[]}} props */
function Accounts({ form, accounts }) {
  const { accountIds } = form.values;
  const isChosen = (/** @type {string} */ id) => accountIds === null || accountIds.includes(id);
  const choose = (/** @type {string} */ id, /** @type {boolean} */ checked) => {
    const chosen = accounts
      .map((account) => account.id)
      .filter((other) => (other === id ? checked : isChosen(other)));
    if (chosen.length) form.change({ accountIds: chosen.length === accounts.length ? null : chosen });
  };
  const error = errorAt(form.problem, "accountIds");
  return html`
    <div class="field" role="group" aria-label=${t("Accounts")}>
      ${accounts.map(({ id, platform, username }) => html`
        <${Check}
          key=${id}
          label=${
            html`
              <span dir="auto">${username}</span> <span class="soft">${platform}</span>
            `
          }
          checked=${isChosen(id)}
          onChange=${(/** @type {boolean} */ checked) => choose(id, checked)}
        />
      `)}
      ${!accounts.length && html`
        <p>
          <a href=${to("accounts")}>${t("Connect an account")}</a>
        </p>
      `}
      ${error && html`<p class="error">${error}</p>`}
    </div>
  `;
}

/** @param {{feed: Feed, reload: () => Promise<void>}} props */
function State({ feed, reload }) {
  const [busy, act] = useAction(async () => {
    if (feed.state === "active") await patch(`/feeds/${feed.id}`, { paused: true });
    else await post(`/feeds/${feed.id}/resume`, { waiting: "post" });
    await reload();
  });
  const [skipping, skip] = useAction(async () => {
    await post(`/feeds/${feed.id}/resume`, { waiting: "skip" });
    await reload();
  });
  const { held, lastError, lastReadAt, nextReadAt, state } = feed;
  return html`
    <${Card} title=${t("State")}>
      <p>
        <${Badge} state=${state} />
      </p>
      ${held && html`<p>${heldWords(held)}</p>`}
      ${lastError && html`<p class="error">${errorWords(lastError)}</p>`}
      <p class="soft">
        ${t("Last read")}: ${lastReadAt ? html`<${Time} at=${lastReadAt} kind="relative" />` : t("never")}
        ${nextReadAt && html`
          <br />
          ${t("Next time")}: <${Time} at=${nextReadAt} />
        `}
      </p>
      ${may("posts:write") && html`
        <div class="actions">
          <${Button} kind=${state === "active" ? "" : "primary"} busy=${busy} onClick=${act}>
            ${state === "active" ? t("Pause") : t("Go on")}
          <//>
          ${state !== "active" && feed.waiting > 0 && html`
            <${Button} busy=${skipping} onClick=${skip}>
              ${t("Go on without those that wait")}
            <//>
          `}
        </div>
      `}
    <//>
  `;
}

/** @param {{values: Values}} props */
function Preview({ values }) {
  const [preview, setPreview] = useState(/** @type {Previewed | null} */ (null));
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const [busy, look] = useAction(async () => {
    const { profileId, url } = values;
    setProblem(null);
    await post("/feeds/preview", { ...bodyOf(values), profileId, url }).then(setPreview, setProblem);
  });
  return html`
    <${Card} title=${t("Preview")}>
      ${problem && html`<${ProblemBox} problem=${problem} />`}
      ${preview && !problem && html`
        <p>
          <strong dir="auto">${preview.title}</strong>
        </p>
        <ol class="list">
          ${preview.items.map((item) => html`
            <li key=${item.link ?? item.title}>
              <span class="grow">
                <span class="post-text" dir="auto">
                  ${item.text}
                </span>
                ${item.filtered && html`<span class="soft">${itemWords("filtered")}</span>`}
              </span>
            </li>
          `)}
        </ol>
        ${!preview.items.length && html`<p>${t("The feed is empty now.")}</p>`}
      `}
      <${Button} icon="search" busy=${busy} disabled=${!values.url} onClick=${look}>
        ${t("Show the newest items as posts")}
      <//>
    <//>
  `;
}

/** @param {{feed: Feed}} props */
function Items({ feed }) {
  const loaded = useLoad(
    () => all(`/feeds/${feed.id}/items`, {}, 100),
    [feed.id, feed.version, feed.lastReadAt],
  );
  return html`
    <${Card} title=${t("What came")}>
      <${Loaded} loaded=${loaded}>
        ${(/** @type {typeof loaded.data} */ items) => html`
          <ul class="list">
            ${items.map((item) => html`
              <li key=${item.id}>
                <span class="grow" dir="auto">
                  ${item.title || item.link}
                </span>
                ${item.postId ? html`
                  <a href=${to(`posts/${item.postId}`)}>${itemWords(item.state)}</a>
                ` : html`
                  <span class="soft">${itemWords(item.state)}</span>
                `}
              </li>
            `)}
          </ul>
          ${!items.length && html`<p class="soft">${t("Nothing yet.")}</p>`}
          <${Button} icon="retry" onClick=${loaded.reload}>
            ${t("Look again")}
          <//>
        `}
      <//>
    <//>
  `;
}
