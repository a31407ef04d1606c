// Prettier formats JSX and not htm, which says the same: a template is written as JSX, formatted, and written
// back. Names carry what is longer in htm, so that lines become as long as planned: `html_$` before a root
// stands for html``, `Z$Button$` for ${Button}, and `value$={x}` for value=${x}.
import { load } from "./tools.mjs";
import { walk } from "./walk.mjs";

const { parse } = await load("@babel/parser");

const tree = (source) => parse(source, { sourceType: "module", plugins: ["jsx"] }).program;

/** Source with html`` -> source with JSX. */
export function toJsx(source) {
  const templates = [];
  for (const [node] of walk(tree(source))) {
    if (node.type === "TaggedTemplateExpression" && node.tag.name === "html") templates.push(node);
  }
  const text = (start, end) => {
    let written = "";
    let position = start;
    for (const template of templates) {
      if (template.start < position || template.end > end) continue; // inside another one, or elsewhere
      written += source.slice(position, template.start) + jsxOf(template, source, text);
      position = template.end;
    }
    return written + source.slice(position, end);
  };
  return text(0, source.length);
}

class Reader {
  constructor(pieces) {
    this.pieces = pieces;
    this.at = 0;
  }

  peek() {
    return this.pieces[this.at];
  }

  fail(message) {
    throw new Error(
      `${message} at ...${this.pieces
        .slice(Math.max(0, this.at - 40), this.at)
        .map((piece) => piece.code ?? piece)
        .join("")}`,
    );
  }

  /** Characters up to one of those. */
  word(end) {
    let word = "";
    while (typeof this.peek() === "string" && !end.includes(this.peek())) word += this.pieces[this.at++];
    return word;
  }

  /** Past white space. */
  space() {
    while (typeof this.peek() === "string" && /\s/.test(this.peek())) this.at += 1;
  }

  /** Texts, expressions and elements up to the end tag. */
  children() {
    const children = [];
    while (this.at < this.pieces.length) {
      if (typeof this.peek() !== "string") children.push(this.pieces[this.at++]);
      else if (this.peek() !== "<") children.push(this.word("<"));
      else if (this.pieces[this.at + 1] === "/") {
        while (this.peek() !== ">") this.at += 1;
        this.at += 1;
        return children;
      } else children.push(this.element());
    }
    return children;
  }

  element() {
    this.at += 1;
    const tag = typeof this.peek() === "string" ? this.word(" \n/>") : `Z$${this.pieces[this.at++].name}$`;
    if (!/^[\w$-]+$/.test(tag)) this.fail(`A tag is a name or a variable, not ${tag}`);
    const attributes = [];
    for (;;) {
      this.space();
      if (this.peek() === ">") {
        this.at += 1;
        return { tag, attributes, children: this.children() };
      }
      if (this.peek() === "/") {
        this.at += 2;
        return { tag, attributes, children: null };
      }
      attributes.push(this.attribute());
    }
  }

  attribute() {
    if (this.peek() === ".") {
      this.at += 3;
      return `{...${this.pieces[this.at++].code}}`;
    }
    const name = this.word(" \n/>=");
    if (!name) this.fail("An attribute needs a name");
    if (this.peek() !== "=") return name;
    this.at += 1;
    const quote = this.peek();
    if (quote !== '"' && quote !== "'") {
      return typeof quote === "string"
        ? `${name}="${this.word(" \n/>")}"`
        : `${name}$={${this.pieces[this.at++].code}}`;
    }
    this.at += 1;
    let value = "";
    let isTemplate = false;
    while (this.peek() !== quote) {
      if (typeof this.peek() === "string") value += this.pieces[this.at++];
      else {
        value += `\${${this.pieces[this.at++].code}}`;
        isTemplate = true;
      }
    }
    this.at += 1;
    return isTemplate ? `${name}$={\`${value}\`}` : `${name}=${quote}${value}${quote}`;
  }
}

/** One template as JSX: an element, or a fragment of several. */
function jsxOf({ quasi }, source, text) {
  const pieces = quasi.quasis.flatMap(({ value }, index) => {
    const { start, end } = quasi.expressions[index] ?? {};
    return [
      ...value.raw,
      ...(start === undefined ? [] : [{ name: source.slice(start, end), code: text(start, end) }]),
    ];
  });
  const reader = new Reader(pieces);
  const children = reader.children();
  const elements = children.filter((child) => typeof child !== "string" || !/^\s*$/.test(child));
  if (elements.length === 1 && elements[0].tag) return print(elements[0], "html_$");
  return `<>${children.map((child) => print(child)).join("")}</>`;
}

function print(child, root = "") {
  if (typeof child === "string") {
    if (/[{}>]/.test(child)) throw new Error(`Write this text as an expression: ${child}`);
    return child;
  }
  if (child.code !== undefined) return `{${child.code}}`;
  const start = [root + child.tag, ...child.attributes].join(" ");
  if (child.children === null) return `<${start} />`;
  return `<${start}>${child.children.map((inner) => print(inner)).join("")}</${root}${child.tag}>`;
}

/** Source with JSX -> source with html``. */
export function toHtm(source) {
  const edits = [];
  const isJsx = (node) => node?.type === "JSXElement" || node?.type === "JSXFragment";
  const replace = (start, end, text) => edits.push({ start, end, text });
  const outdents = new Map();
  const outdent = (first, last) => {
    for (let at = source.indexOf("\n", first); at !== -1 && at < last; at = source.indexOf("\n", at + 1)) {
      outdents.set(at + 1, (outdents.get(at + 1) ?? 0) + 2);
    }
  };
  for (const [node, parent] of walk(tree(source))) {
    if (isJsx(node) && !isJsx(parent)) wrap(node, source, replace, outdent);
    if (node.type === "JSXExpressionContainer") replace(node.start, node.start, "$");
    if (node.type === "JSXSpreadAttribute") replace(node.start, node.start + "{...".length, "...${");
    if (node.type === "JSXAttribute") {
      const { end, name } = node.name;
      if (name.endsWith("$")) replace(end - 1, end, "");
    }
    if (node.type === "JSXElement") {
      const { name } = node.openingElement;
      replace(name.start, name.end, nameOf(name.name));
      const closing = node.closingElement;
      if (closing)
        replace(closing.start, closing.end, /Z\$/.test(name.name) ? "<//>" : `</${nameOf(name.name)}>`);
    }
  }
  for (const [at, width] of outdents) {
    if (!edits.some(({ start, end }) => start < at + width && at < end)) replace(at, at + width, "");
  }
  edits.sort((left, right) => left.start - right.start || left.end - right.end);
  let written = "";
  let position = 0;
  for (const { start, end, text } of edits) {
    written += source.slice(position, start) + text;
    position = end;
  }
  return written + source.slice(position);
}

const nameOf = (name) => name.replace("html_$", "").replace(/^Z\$(.*)\$$/, "${$1}");

/** Put html`` around a root; parentheses around it give way, and the tags of a fragment. */
function wrap(node, source, replace, outdent) {
  const isFragment = node.type === "JSXFragment";
  const isWrapped = Boolean(node.extra?.parenthesized);
  const start = isWrapped ? node.extra.parenStart : node.start;
  const end = isWrapped ? source.indexOf(")", node.end) + 1 : node.end;
  if (!isFragment) {
    replace(start, isWrapped ? start + 1 : start, "html`");
    replace(isWrapped ? end - 1 : end, end, "`");
    return;
  }
  const [first, last] = [node.openingFragment.end, node.closingFragment.start];
  replace(start, first, "html`");
  const isTall = /\n *$/.test(source.slice(first, last));
  replace(
    isTall ? source.lastIndexOf("\n", last) + 1 : last,
    end,
    isTall ? `${indentOf(source, end)}\`` : "`",
  );
  if (isWrapped && isTall) outdent(first, last);
}

/** The indentation of the line that ends, or goes on, at a position. */
const indentOf = (source, position) =>
  /^ */.exec(source.slice(source.lastIndexOf("\n", position - 1) + 1))[0];
