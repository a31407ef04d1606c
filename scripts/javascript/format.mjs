// Format JavaScript: Prettier, with templates of htm. With --check, only say which files would change.
import { readFile, writeFile } from "node:fs/promises";
import { toHtm, toJsx } from "./htm.mjs";
import { load } from "./tools.mjs";

const prettier = await load("prettier");
const WIDTH = 110;

const format = async (source) =>
  toHtm(await prettier.format(toJsx(source), { parser: "babel", printWidth: WIDTH - 2 }));

const isCheck = process.argv.includes("--check");
let differs = 0;
for (const path of process.argv.slice(2).filter((argument) => !argument.startsWith("--"))) {
  const source = await readFile(path, "utf8");
  let formatted;
  try {
    formatted = await format(await format(source)); // what Prettier makes of a comment can change once more
  } catch (error) {
    console.error(`${path}: ${error.message}`);
    process.exitCode = 1;
    continue;
  }
  if (formatted === source) continue;
  differs += 1;
  if (isCheck) console.error(`${path} is not formatted; make format does it`);
  else await writeFile(path, formatted);
}
if (isCheck && differs) process.exitCode = 1;
