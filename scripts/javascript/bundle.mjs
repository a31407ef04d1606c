// Bundle the modules of the console, so that a page is a few files: bundle.mjs SOURCES OUT PAGE...
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { load } from "./tools.mjs";

const { rolldown } = await load("rolldown");
const [sources, out, ...pages] = process.argv.slice(2);

/** Every module with its code. @type {Map<string, string>} */
const modules = new Map(
  readdirSync(sources, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".js"))
    .map((name) => [join(sources, name), readFileSync(join(sources, name), "utf8")]),
);

/** @param {string} path */
const importsOf = (path) =>
  [...modules.get(path).matchAll(/\b(?:from|import)\s?"(\.[^"]+)"/g)].map(([, name]) =>
    join(path, "..", name),
  );

/**
 * Some modules, and all that a step leads to from them.
 * @param {string[]} begin @param {(path: string) => string[]} step
 */
function closure(begin, step) {
  const paths = new Set(begin);
  for (const path of paths) for (const next of step(path)) paths.add(next); // a set grows while it is read
  return paths;
}

const frame = closure([join(sources, "app.js")], importsOf);
// A module that awaits a style or texts has a file of its own: what shares a file with it would wait, too.
const awaiting = [...modules].filter(([, code]) => /^(?:(?:const|let) [^(\n]*= )?await\b/m.test(code));
const importersOf = (path) => [...modules.keys()].filter((other) => importsOf(other).includes(path));
const waiting = closure(
  awaiting.map(([path]) => path),
  importersOf,
);

/** @param {string} path */
const nameOf = (path) => relative(sources, path).replace(/\.js$/, "");
// `begin` runs before the others are there.
const isShared = (path) => !waiting.has(path) && !/^(begin$|messages\/|texts\/)/.test(nameOf(path));
const catalogs = [...modules.keys()].map(nameOf).filter((name) => name.startsWith("messages/"));
const entries = ["app", ...pages.map((page) => `pages/${page}`), ...catalogs];

const bundle = await rolldown({
  input: Object.fromEntries(entries.map((name) => [name, join(sources, `${name}.js`)])),
  plugins: [
    {
      name: "templates-without-indentation",
      transform: (code, id) =>
        id.includes("/vendor/") ? null : { code: code.replace(/^ +/gm, ""), map: null },
    },
  ],
});
await bundle.write({
  dir: out,
  format: "esm",
  minify: true,
  entryFileNames: "[name].js",
  // All files of a version stand below one address of their own, so that no name needs a digest.
  chunkFileNames: (chunk) => (chunk.facadeModuleId ? `${nameOf(chunk.facadeModuleId)}.js` : "[name].js"),
  codeSplitting: {
    groups: [
      { name: "begin", test: (path) => nameOf(path) === "begin", priority: 4 },
      { name: "frame", test: (path) => frame.has(path) && isShared(path), priority: 3 },
      {
        name: "parts",
        test: (path) => isShared(path) && !nameOf(path).startsWith("pages/"),
        minShareCount: 3,
        priority: 2,
      },
      { name: "shared", test: isShared, minShareCount: 4, priority: 1 },
    ],
  },
});
await bundle.close();
