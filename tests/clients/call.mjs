// Calls the TypeScript client as lines of JSON say: [what, ...arguments]. Answers {value} or {problem}.
import { createInterface } from "node:readline";

const { DIST, URL_OF, KEY } = process.env;
const { Signalpost, Problem } = await import(`${DIST}/index.js`);
const webhooks = await import(`${DIST}/webhooks.js`);
const client = new Signalpost({ apiKey: KEY, baseUrl: URL_OF });
client.sleep = () => new Promise((done) => setTimeout(done, 20));

const ways = {
  request: (method, path, options) => client.request(method, path, options),
  list: (path, options) => Array.fromAsync(client.list(path, options)),
  published: (id) => client.waitUntilPublished(id),
  upload: (fileName, content, method) =>
    client.upload(
      new Blob([Uint8Array.from(atob(content), (byte) => byte.charCodeAt(0))], { type: "image/png" }),
      {
        method,
        fileName,
      },
    ),
  verify: (body, headers, secret) => webhooks.verify(body, headers, secret),
  sign: (body, secret) => webhooks.sign(body, secret),
};

for await (const line of createInterface({ input: process.stdin })) {
  const [what, ...rest] = JSON.parse(line);
  let answer;
  try {
    answer = { value: (await ways[what](...rest)) ?? null };
  } catch (error) {
    const problem =
      error instanceof Problem ? { status: error.status, code: error.code, pointer: error.pointer } : {};
    answer = { problem: { name: error.constructor.name, message: error.message, ...problem } };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
