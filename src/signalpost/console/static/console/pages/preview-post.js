// A post as its network will show it, by the facts of the network: for the composer and for who approves it.
import { html } from "../html.js";
import { Icon } from "../icons.js";
import { t } from "../i18n.js";
import { NetworkLogo } from "../components/network-logo.js";
import { ShownFiles } from "./preview-files.js";
import { Text, cutAt } from "./preview-text.js";

/** @typedef {import("../html.js").Children} Children */
/** @typedef {import("signalpost/api").Schemas["PlatformAppearance"]} Appearance */
/** @typedef {import("signalpost/api").Schemas["PlatformView"]} View */
/** @typedef {import("./preview-files.js").ShownFile} ShownFile */
/** @typedef {{text: string, overflowAt: number | null, files: ShownFile[]}} ShownPart */
/**
 * @typedef {ShownPart & {
 *   platform: string, network: string, name: string, username: string, appearance: Appearance,
 *   title: string, link: string, thread: ShownPart[], firstComment: string,
 *   options: Record<string, unknown>
 * }} Shown what an account shows
 */

/** @type {View} */
const PLAIN = {
  kind: "feed",
  types: [],
  option: null,
  media: null,
  text: "above",
  files: "grid",
  ratioMin: null,
  ratioMax: null,
  foldLines: null,
  foldCharacters: null,
  coveredTop: null,
  coveredBottom: null,
  coveredSides: null,
  titleCharacters: null,
  approximate: true,
};
const UPRIGHT = new Set(["story", "reel"]);

/**
 * Which view of the network the post is shown in.
 * @param {Appearance} appearance @param {Record<string, unknown>} options @param {{kind: string}[]} files
 */
export function viewOf({ views }, options, files) {
  const kind = files.length === 1 ? files[0].kind : "";
  return (
    views.find((view) => view.types.includes(String(options.type ?? ""))) ??
    views.find((view) => view.option !== null && options[view.option] !== undefined) ??
    views.find((view) => view.media !== null && view.media === kind) ??
    views.at(-1) ??
    PLAIN
  );
}

/** @param {View} view @param {Shown} content */
function kindName(view, content) {
  if (content.thread.length) return t("Thread");
  if (view.kind === "reel" && content.platform === "youtube") return t("Short");
  return {
    feed: t("Post"),
    story: t("Story"),
    reel: content.platform === "tiktok" ? t("Video") : t("Reel"),
    video: t("Video"),
    pin: t("Pin"),
    document: t("Document"),
    poll: t("Poll"),
    article: t("Article"),
    message: t("Message"),
  }[view.kind];
}

/** @param {{content: Shown, children?: Children}} props `children`: what belongs to it besides */
export function PostPreview({ content, children }) {
  const view = viewOf(content.appearance, content.options, content.files);
  const Kind = UPRIGHT.has(view.kind) ? Upright : view.kind === "pin" ? Pin : Feed;
  return html`
    <figure class=${`pv pv-${view.kind} on-${content.platform}`}>
      <figcaption class="pv-head">
        <${NetworkLogo} platform=${content.platform} />
        <strong>${content.network}</strong>
        <span>${kindName(view, content)}</span>
      </figcaption>
      <div class="pv-post">
        <${Kind} content=${content} view=${view} />
      </div>
      ${children}
      <p class="pv-ours">
        ${view.approximate && (view.foldLines || view.foldCharacters)
          ? t("Preview by Signalpost; the network may show it differently, and fold the text elsewhere.")
          : t("Preview by Signalpost; the network may show it differently.")}
      </p>
    </figure>
  `;
}

/** @param {{content: Shown}} props */
const Author = ({ content: { name, username } }) => html`
  <div class="pv-author-line">
    <${Face} name=${name || username} />
    <span>
      <strong dir="auto">${name || username}</strong>
      <span class="pv-soft" dir="ltr">
        @${username}
      </span>
    </span>
  </div>
`;

/** @param {{name: string}} props */
const Face = ({ name }) => html`
  <span class="pv-face" aria-hidden="true">
    ${([...name][0] ?? "?").toUpperCase()}
  </span>
`;

/** Upright and full of the picture, the text upon it. @param {{content: Shown, view: View}} props */
function Upright({ content, view }) {
  const title = titleOf(content, view);
  return html`
    <div class="pv-screen">
      <${ShownFiles} files=${content.files} view=${view} />
      <div class="pv-upon">
        <${Author} content=${content} />
        ${title && html`
          <p class="pv-title" dir="auto">
            ${title}
          </p>
        `}
        ${view.text !== "none" && html`<${PartText} part=${content} content=${content} view=${view} />`}
      </div>
    </div>
  `;
}

/** @param {{content: Shown, view: View}} props */
function Pin({ content, view }) {
  const title = titleOf(content, view);
  return html`
    <${ShownFiles} files=${content.files} view=${view} />
    ${title && html`
      <p class="pv-title" dir="auto">
        ${title}
      </p>
    `}
    <${PartText} part=${content} content=${content} view=${view} />
    <${Author} content=${content} />
  `;
}

/** @param {{content: Shown, view: View}} props */
function Feed({ content, view }) {
  const title = titleOf(content, view);
  const files = html`<${ShownFiles} files=${content.files} view=${view} />`;
  const text = html`<${PartText} part=${content} content=${content} view=${view} />`;
  const isBelow = view.text === "below";
  const heading = title && html`
    <p class="pv-title" dir="auto">
      ${title}
    </p>
  `;
  return html`
    <${Author} content=${content} />
    ${isBelow ? html`
      ${files}
      ${heading}
      ${text}
      ` : html`
      ${heading}
      ${text}
      ${files}
      `}
    ${view.kind === "poll" && html`<${Choices} options=${content.options} />`}
    ${!content.files.length && html`<${Card} content=${content} />`}
    ${content.thread.map((part, index) => html`
      <div class="pv-part" key=${index}>
        <${Author} content=${content} />
        <${PartText} part=${part} content=${content} view=${view} />
        <${ShownFiles} files=${part.files} view=${view} />
      </div>
    `)}
    ${content.firstComment && html`
      <div class="pv-comment">
        <span class="pv-soft">${t("First comment")}</span>
        <${Text}
          text=${content.firstComment}
          view=${PLAIN}
          marks=${content.appearance.marks}
          platform=${content.platform}
        />
      </div>
    `}
  `;
}

/** @param {Shown} content @param {View} view */
function titleOf({ title }, { titleCharacters }) {
  const cut = cutAt(title, titleCharacters);
  return cut === null ? title : `${title.slice(0, cut).trimEnd()}…`;
}

/** @param {{part: ShownPart, content: Shown, view: View}} props */
function PartText({ part, content, view }) {
  if (!part.text && !part.files.length) return html`<p class="pv-soft">${t("No text")}</p>`;
  return html`
    <${Text}
      key=${content.platform}
      text=${part.text}
      overflowAt=${part.overflowAt}
      view=${view}
      marks=${content.appearance.marks}
      platform=${content.platform}
      author=${content.platform === "instagram" && view.kind === "feed" ? content.username : undefined}
    />
  `;
}

/** The answers of a poll. @param {{options: Record<string, unknown>}} props */
function Choices({ options }) {
  const poll = /** @type {Record<string, unknown>} */ (options.poll ?? {});
  const listed =
    poll.options ?? poll.answers ?? Object.values(poll).filter((value) => value !== poll.question);
  const choices = (Array.isArray(listed) ? listed : []).filter(
    (choice) => typeof choice === "string" && choice,
  );
  return html`
    ${typeof poll.question === "string" && html`
      <p class="pv-title" dir="auto">
        ${poll.question}
      </p>
    `}
    <ul class="pv-choices">
      ${choices.map((choice, index) => html`
        <li key=${index} dir="auto">
          ${choice}
        </li>
      `)}
    </ul>
  `;
}

/** What becomes of an address; its page is not asked yet. @param {{content: Shown}} props */
function Card({ content: { appearance, link, text } }) {
  const address = link || /https?:\/\/[^\s<>"]{1,2000}/.exec(text)?.[0];
  if (appearance.card === "none" || !address || !URL.canParse(address)) return null;
  const { host, pathname } = new URL(address);
  const isLarge = appearance.card === "large";
  return html`
    <div class=${isLarge ? "pv-card large" : "pv-card"}>
      <div
        class="pv-frame empty"
        style=${{ aspectRatio: String(isLarge ? (appearance.cardRatio ?? 1.91) : 1) }}
      >
        <${Icon} name="image" />
        ${isLarge && html`<span>${t("Picture and title come from the page.")}</span>`}
      </div>
      <div class="pv-card-text">
        <span class="pv-soft">${host.replace(/^www\./, "")}</span>
        <strong dir="ltr">${pathname.length > 1 ? decoded(pathname) : host}</strong>
      </div>
    </div>
  `;
}

/** @param {string} path */
function decoded(path) {
  try {
    return decodeURI(path).slice(0, 100);
  } catch {
    return path.slice(0, 100); // a percent sign that stands for itself
  }
}
