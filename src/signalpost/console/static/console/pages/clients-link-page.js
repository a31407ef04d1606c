// The link page of a client: what it says, how it looks, and how often its links are clicked.
import { html, useState } from "../html.js";
import { put, remove } from "../api.js";
import { LANGUAGES, language, t } from "../i18n.js";
import { go, to } from "../router.js";
import { may } from "../store.js";
import { stylesheet } from "../stylesheet.js";
import { Button } from "../components/button.js";
import { ConfirmDialog } from "../components/confirm-dialog.js";
import { Copy } from "../components/copy.js";
import { Check, Field } from "../components/field.js";
import { useForm } from "../components/form.js";
import { lazy, lazyDialog } from "../components/lazy.js";
import { Card } from "../components/page.js";
import { ProblemBox } from "../components/problem-box.js";
import { toast } from "../components/toasts.js";
import { LinkFields, emptyLink, linkBody, linkOf } from "./clients-link-page-links.js";
import { Preview } from "./clients-link-page-preview.js";

await stylesheet(new URL("./clients-link-page.css", import.meta.url).href);

/** @typedef {import("signalpost/api").Schemas["LinkPage"]} LinkPage */
/** @typedef {import("../store.js").Profile} Profile */
/** @typedef {import("./clients-link-page-links.js").LinkValues} LinkValues */
/**
 * @typedef {{
 *   slug: string, title: string, text: string, language: string, isPublished: boolean, isIndexed: boolean,
 *   showsAccounts: boolean, latestPosts: string, links: LinkValues[]
 * }} Values
 */

const Numbers = lazy(() => import("./clients-link-page-numbers.js"));
const Qr = lazyDialog(() => import("../components/qr.js"));
const POSTS_MAX = 12;

/** What the service is sent. @param {Values} values */
const bodyOf = (values) => ({
  ...values,
  text: values.text.trim() || null,
  latestPosts: Number(values.latestPosts),
  links: values.links.map(linkBody),
});

/** @param {LinkPage | null} page @param {Profile} client @returns {Values} */
const valuesOf = (page, client) => ({
  slug: page?.slug ?? client.slug,
  title: page?.title ?? client.name,
  text: page?.text ?? "",
  language: page?.language ?? (Object.hasOwn(LANGUAGES, language.value) ? language.value : "en"),
  isPublished: page?.isPublished ?? false,
  isIndexed: page?.isIndexed ?? false,
  showsAccounts: page?.showsAccounts ?? true,
  latestPosts: String(page?.latestPosts ?? 0),
  links: page ? page.links.map(linkOf) : [emptyLink()],
});

/** @param {{client: Profile, page: LinkPage | null, reload: () => Promise<void>}} props */
export default function ClientPage({ client, page, reload }) {
  const mayChange = may("profiles:write");
  const form = useForm(valuesOf(page, client), async (values) => {
    const saved = await put(`/profiles/${client.id}/link-page`, bodyOf(values));
    form.change({ links: saved.links.map(linkOf) });
    toast(saved.isPublished ? t("The page is public.") : t("Saved. The page is not public."));
    await reload();
  });
  return html`
    <p>
      <a href=${to("clients/link-pages")}>${t("All link pages")}</a>
    </p>
    <div class="columns">
      <${Card} title=${client.name}>
        <form
          onSubmit=${(/** @type {Event} */ event) => {
            event.preventDefault();
            void form.submit();
          }}
        >
          ${form.problem && html`<${ProblemBox} problem=${form.problem} />`}
          <fieldset disabled=${!mayChange}>
            <${Fields} form=${form} />
            <${LinkFields}
              clientId=${client.id}
              links=${form.values.links}
              problem=${form.problem}
              change=${(/** @type {LinkValues[]} */ links) => form.change({ links })}
            />
            <${Choices} form=${form} />
          </fieldset>
          ${mayChange && html`
            <${Button} kind="primary" type="submit" busy=${form.busy}>
              ${t("Save")}
            <//>
          `}
        </form>
      <//>
      <div>
        ${page && html`<${Address} page=${page} client=${client} reload=${reload} />`}
        <${Preview} client=${client} values=${form.values} />
      </div>
    </div>
    ${page && html`<${Numbers} key=${page.updatedAt} clientId=${client.id} />`}
  `;
}

/** @typedef {import("../components/form.js").FormOf<Values>} FormOfPage */

/** @param {{form: FormOfPage}} props */
function Fields({ form }) {
  return html`
    <${Field} label=${t("Headline")} maxlength="80" ...${form.field("title")} />
    <${Field} label=${t("A few words")} rows=${2} maxlength="300" ...${form.field("text")} />
    <${Field}
      label=${t("Address")}
      hint=${t("The end of the address, after /l/. A former one goes on to lead here.")}
      maxlength="48"
      autocapitalize="none"
      spellcheck="false"
      ...${form.field("slug")}
    />
  `;
}

/** @param {{form: FormOfPage}} props */
function Choices({ form }) {
  const counts = Array.from({ length: POSTS_MAX + 1 }, (_, n) => [String(n), n ? String(n) : t("none")]);
  return html`
    <${Field} label=${t("Latest posts on the page")} options=${counts} ...${form.field("latestPosts")} />
    <${Field}
      label=${t("Language of the page")}
      options=${Object.entries(LANGUAGES)}
      ...${form.field("language")}
    />
    <${Check} label=${t("Connected accounts as icons")} ...${form.check("showsAccounts")} />
    <${Check} label=${t("Search engines may list it")} ...${form.check("isIndexed")} />
    <${Check}
      label=${t("The page is public")}
      hint=${t("Everyone who has the address can open it.")}
      ...${form.check("isPublished")}
    />
  `;
}

/** @param {{page: LinkPage, client: Profile, reload: () => Promise<void>}} props */
function Address({ page, client, reload }) {
  const [deleting, setDeleting] = useState(false);
  const [hasCode, setHasCode] = useState(false);
  const end = async () => {
    await remove(`/profiles/${client.id}/link-page`);
    toast(t("The page is deleted."));
    go("clients/link-pages");
    await reload();
  };
  return html`
    <${Card} title=${t("Address")} class="link-page-address">
      <p>
        <code>${page.url}</code>
      </p>
      <div class="actions">
        <${Copy} text=${page.url} />
        ${page.isPublished && html`
          <a class="button" href=${page.url} target="_blank" rel="noopener">
            ${t("Open the page")}
          </a>
        `}
        <${Button} aria-expanded=${hasCode} onClick=${() => setHasCode(!hasCode)}>
          ${t("QR code")}
        <//>
        ${may("profiles:write") && html`
          <${Button} kind="danger" icon="trash" onClick=${() => setDeleting(true)}>
            ${t("Delete…")}
          <//>
        `}
      </div>
      ${hasCode && html`
        <${Qr} text=${page.url} label=${t("QR code of {address}", { address: page.url })} />
      `}
      ${deleting && html`
        <${ConfirmDialog}
          title=${t("Delete the page of {name}?", { name: client.name })}
          confirm=${t("Delete")}
          act=${end}
          onClose=${() => setDeleting(false)}
        >
          <p>${t("Its numbers are deleted too, and others can take its address.")}</p>
        <//>
      `}
    <//>
  `;
}
