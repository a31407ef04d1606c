// Print the words of JavaScript files as JSON, for tests/contract/test_words.py: {file: {texts, names}}, each
// a list of [line, text]. `texts` are names, strings, comments and what stands in templates; `names` are
// declarations: variables, parameters, functions, classes, imports, and parameters in comments.
import { readFileSync } from "node:fs";
import { load } from "./tools.mjs";
import { walk } from "./walk.mjs";

const { parse } = await load("@babel/parser");

/** The identifiers that a pattern declares. */
function* declared(pattern) {
  if (!pattern) return;
  if (pattern.type === "Identifier") yield pattern;
  else if (pattern.type === "ObjectPattern")
    for (const property of pattern.properties) yield* declared(property.value ?? property.argument);
  else if (pattern.type === "ArrayPattern")
    for (const element of pattern.elements) yield* declared(element);
  else yield* declared(pattern.left ?? pattern.argument);
}

/** The identifiers that a node declares. */
function* declaredBy(node) {
  for (const pattern of node.params ?? []) yield* declared(pattern);
  if (["VariableDeclarator", "FunctionDeclaration", "ClassDeclaration"].includes(node.type))
    yield* declared(node.id);
  if (node.type === "CatchClause") yield* declared(node.param);
  if (/^Import.*Specifier$/.test(node.type)) yield node.local;
}

/** @param {string} source @param {boolean} isCatalog whether values are texts of another language */
function words(source, isCatalog) {
  const { program, comments } = parse(source, { sourceType: "module" });
  const texts = comments.map((comment) => [comment.loc.start.line, comment.value]);
  const names = [];
  for (const comment of comments)
    for (const match of comment.value.matchAll(/@param \{.*?\} \[?(\w+)/gs))
      names.push([comment.loc.start.line, match[1]]);
  for (const [node, parent] of walk(program)) {
    const line = node.loc.start.line;
    if (node.type === "Identifier") texts.push([line, node.name]);
    else if (isCatalog && parent?.type === "ObjectProperty" && parent.value === node) continue;
    else if (node.type === "StringLiteral") texts.push([line, node.value]);
    else if (node.type === "TemplateElement") texts.push([line, node.value.raw]);
    for (const identifier of declaredBy(node)) names.push([identifier.loc.start.line, identifier.name]);
  }
  return { texts, names };
}

const files = process.argv
  .slice(2)
  .map((path) => [path, words(readFileSync(path, "utf8"), path.includes("/messages/"))]);
console.log(JSON.stringify(Object.fromEntries(files)));
