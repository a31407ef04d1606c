// A webhook receiver as a stranger would write it: it checks X-Service-Signature over the raw bytes with
// GitHub's own library. Its argument is the port. Prints {"listening": true} first, then one JSON line per
// delivery: {"headers", "body" (base64), "verified"}. Reads JSON lines: {"secret", "status"} changes what it
// expects and answers, and is confirmed by {"using": true}. Runs until standard input closes.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { verify } from "@octokit/webhooks-methods";

const [port] = process.argv.slice(2);
let secret = null;
let status = 204;
const say = (line) => process.stdout.write(JSON.stringify(line) + "\n");

const server = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  const signature = request.headers["x-service-signature"];
  const verified =
    Boolean(secret && signature && body.length) && (await verify(secret, body.toString("utf8"), signature));
  response.writeHead(verified ? status : 401).end();
  say({ headers: request.headers, body: body.toString("base64"), verified });
});
server.listen(Number(port), "127.0.0.1", () => say({ listening: true }));

const orders = createInterface({ input: process.stdin });
orders.on("line", (line) => {
  const order = JSON.parse(line);
  secret = order.secret;
  status = order.status;
  say({ using: true });
});
orders.on("close", () => process.exit(0));
