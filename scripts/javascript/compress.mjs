// Write a .br beside each file of a folder: compress.mjs FOLDER. Python has no Brotli of its own.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";

const [folder] = process.argv.slice(2);
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (entry.isFile()) writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)));
}
