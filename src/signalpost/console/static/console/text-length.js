// How long a text is as a network counts it. The service counts in the same way; a test compares the two.

/** @typedef {import("signalpost/api").Schemas["ReplyTextRules"]} Rules */

const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const EMOJI = /[\p{Extended_Pictographic}\p{Regional_Indicator}]|[0-9#*]\ufe0f?\u20e3/u;
const ADDRESS = new RegExp(
  String.raw`(?<![\p{L}\p{N}\p{M}_@/.\-])https?:\/\/[\p{L}\p{N}_\-]+(?:\.[\p{L}\p{N}_\-]+)+(?::\d+)?` +
    String.raw`(?:[\/?#](?:\([^\s\(\)]*\)|[^\s\(\)<>"])*(?<![.,;:!?'"\]\}]))?`,
  "giu",
);
const LETTER = String.raw`\p{L}\p{N}\p{M}_`;
const REMOTE_MENTION = new RegExp(
  String.raw`(?<![=\/${LETTER}])@([${LETTER}](?:[${LETTER}.\-]*[${LETTER}])?)@[${LETTER}.\-]*[${LETTER}]`,
  "gu",
);

const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text).length;

/** @type {Record<string, (text: string) => number>} */
const UNITS = {
  code_point: (text) => [...text].length,
  utf16: (text) => text.length,
  // An emoji counts its bytes, any other character 1.
  emoji_bytes: (text) =>
    [...segments.segment(text)].reduce(
      (sum, { segment }) => sum + (EMOJI.test(segment) ? bytes(segment) : [...segment].length),
      0,
    ),
};

/**
 * How many characters are left of what an answer may have; fewer than 0: it is too long.
 * @param {string} text @param {string | null} handle of whoever is answered @param {Rules} rules
 */
export function leftOf(text, handle, rules) {
  const sent = rules.mentionsAuthor && handle && !isNamed(handle, text) ? `@${handle} ${text}` : text;
  const left = rules.maxLength - lengthOf(sent, rules);
  return rules.bytesMax === null ? left : Math.min(left, rules.bytesMax - bytes(sent));
}

/** Whether a text has this handle, and not a longer one. @param {string} handle @param {string} text */
function isNamed(handle, text) {
  const plain = handle.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");
  return new RegExp(`(?<![${LETTER}@])@${plain}(?![${LETTER}\\-]|[.@][${LETTER}])`, "iu").test(text);
}

/** @param {string} text @param {Rules} rules */
function lengthOf(text, { unit, urlLength, mentionsCountLocalPartOnly }) {
  let counted = text,
    addresses = 0;
  if (urlLength !== null) {
    counted = counted.replace(ADDRESS, () => {
      addresses += 1;
      return "x";
    });
  }
  if (mentionsCountLocalPartOnly) counted = counted.replace(REMOTE_MENTION, "@$1");
  const count = UNITS[unit] ?? ((/** @type {string} */ plain) => [...segments.segment(plain)].length);
  return count(counted) + addresses * ((urlLength ?? 1) - 1);
}
