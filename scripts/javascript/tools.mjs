// The packages of tests/counterparts/console, which scripts/install-test-tools has put below .cache.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.env.CONSOLE_TOOLS}/package.json`);

/** @param {string} name */
export const load = async (name) =>
  import(pathToFileURL(require.resolve(name)).href).then((module) => module.default ?? module);
