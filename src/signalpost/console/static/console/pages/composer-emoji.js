// Emoji for a text: those that were used last, by group, or by name.
import { html, useEffect, useRef, useState } from "../html.js";
import { TONES, findEmoji, loadEmoji, recentEmoji, rememberEmoji, withTone } from "../emoji.js";
import { useLoad } from "../hooks.js";
import { t } from "../i18n.js";
import { stylesheet } from "../stylesheet.js";
import { Dialog } from "../components/dialog.js";
import { Field } from "../components/field.js";
import { Loaded } from "../components/loaded.js";

await stylesheet("pages/composer-emoji.css");

/** @typedef {import("../emoji.js").Emoji} Emoji */

const FOUND_MAX = 120;
const RECENT = -1;
const TONE = "emoji-tone";

/** Each group with an emoji that stands for it. @returns {[string, string][]} */
const groupNames = () => [
  ["😀", t("Smileys")],
  ["👋", t("People")],
  ["🐻", t("Animals and nature")],
  ["🍔", t("Food and drink")],
  ["🚗", t("Travel and places")],
  ["⚽", t("Activities")],
  ["💡", t("Objects")],
  ["❤️", t("Symbols")],
  ["🏁", t("Flags of the world")],
];

/** @param {{onChoose: (character: string) => void, onClose: () => void}} props */
export default function EmojiDialog({ onChoose, onClose }) {
  const loaded = useLoad(loadEmoji, []);
  return html`
    <${Dialog} title=${t("Emoji")} onClose=${onClose}>
      <${Loaded} loaded=${loaded} lines=${8}>
        ${(/** @type {Emoji[][]} */ groups) => html`<${Picker} groups=${groups} onChoose=${onChoose} />`}
      <//>
    <//>
  `;
}

/** @param {{groups: Emoji[][], onChoose: (character: string) => void}} props */
function Picker({ groups, onChoose }) {
  const [recent] = useState(recentEmoji);
  const [group, setGroup] = useState(recent.length ? RECENT : 0);
  const [query, setQuery] = useState("");
  const [tone, setTone] = useState(localStorage.getItem(TONE) ?? "");
  const chooseTone = (/** @type {string} */ chosen) => {
    setTone(chosen);
    localStorage.setItem(TONE, chosen);
  };
  const list = query.trim()
    ? findEmoji(groups, query, FOUND_MAX)
    : group === RECENT
      ? recent.map((character) => emojiOf(groups, character))
      : groups[group];
  return html`
    <${Field}
      label=${t("Search")}
      type="search"
      autofocus
      autocomplete="off"
      value=${query}
      onInput=${setQuery}
    />
    <div class="segmented emoji-groups" role="group" aria-label=${t("Groups")}>
      ${recent.length > 0 && html`
        <${Group}
          character="🕘"
          name=${t("Used last")}
          isShown=${!query && group === RECENT}
          onClick=${() => setGroup(RECENT)}
        />
      `}
      ${groupNames().map(([character, name], index) => html`
        <${Group}
          key=${character}
          character=${character}
          name=${name}
          isShown=${!query && group === index}
          onClick=${() => {
            setQuery("");
            setGroup(index);
          }}
        />
      `)}
    </div>
    ${list.length ? html`
      <${Grid} key=${query ? "found" : group} list=${list} tone=${tone} onChoose=${onChoose} />
    ` : html`
      <p class="soft">${t("No emoji has this name.")}</p>
    `}
    <div class="segmented emoji-tones" role="group" aria-label=${t("Skin tone")}>
      ${TONES.map((choice, index) => html`
        <${Group}
          key=${choice}
          character=${withTone("✋", choice)}
          isShown=${tone === choice}
          name=${index ? t("Skin tone {n} of 5", { n: index }) : t("No skin tone")}
          onClick=${() => chooseTone(choice)}
        />
      `)}
    </div>
  `;
}

/** One that was used last, perhaps with a tone. @param {Emoji[][]} groups @param {string} character */
const emojiOf = (groups, character) => {
  const plain = character.replace(/[\u{1F3FB}-\u{1F3FF}]/u, "");
  const match = groups.flat().find((emoji) => [character, plain].includes(emoji.character));
  return { character, name: match?.name ?? character, words: "", hasTones: false };
};

/** @param {{character: string, name: string, isShown: boolean, onClick: () => void}} props */
const Group = ({ character, name, isShown, onClick }) => html`
  <button
    type="button"
    class="emoji"
    aria-label=${name}
    title=${name}
    aria-pressed=${isShown ? "true" : "false"}
    onClick=${onClick}
  >
    ${character}
  </button>
`;

/**
 * Buttons of which one is reached by the Tab key, and the others from it by arrows.
 * @param {{list: Emoji[], tone: string, onChoose: (character: string) => void}} props
 */
function Grid({ list, tone, onChoose }) {
  const grid = useRef(/** @type {HTMLElement | null} */ (null));
  const [at, setAt] = useState(0);
  useEffect(() => setAt(0), [list[0].character]);
  const move = (/** @type {KeyboardEvent} */ event) => {
    const buttons = [.../** @type {HTMLElement} */ (grid.current).querySelectorAll("button")];
    const columns = buttons.filter(({ offsetTop }) => offsetTop === buttons[0].offsetTop).length;
    const forward = document.documentElement.dir === "rtl" ? -1 : 1;
    const step = { ArrowRight: forward, ArrowLeft: -forward, ArrowDown: columns, ArrowUp: -columns }[
      event.key
    ];
    const edge = { Home: 0, End: buttons.length - 1 }[event.key];
    const next = edge ?? (step === undefined ? undefined : at + step);
    if (next === undefined || !buttons[next]) return;
    event.preventDefault();
    setAt(next);
    buttons[next].focus();
  };
  return html`
    <div class="emoji-grid" role="toolbar" aria-label=${t("Emoji")} ref=${grid} onKeyDown=${move}>
      ${list.map((emoji, index) => {
        const character = emoji.hasTones ? withTone(emoji.character, tone) : emoji.character;
        const choose = () => {
          rememberEmoji(character);
          onChoose(character);
        };
        return html`
          <button
            type="button"
            class="emoji"
            key=${emoji.character}
            aria-label=${emoji.name}
            title=${emoji.name}
            tabindex=${index === at ? 0 : -1}
            onFocus=${() => setAt(index)}
            onClick=${choose}
          >
            ${character}
          </button>
        `;
      })}
    </div>
  `;
}
