// The reference Bluesky server and its directory of accounts, with accounts made from the first argument
// ([{"handle": "alice.test", "password": "..."}]). Prints one JSON line, then runs until standard input
// closes,
// which also happens when whoever started it is killed.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { TestNetworkNoAppView } from "@atproto/dev-env";

const logins = JSON.parse(process.argv[2]);

// What the host social.signalpost.org publishes is in the folder of the second argument: no name server knows
// it.
const folder = process.argv[3];
const fetchFromNetwork = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const url = new URL(input instanceof Request ? input.url : String(input));
  if (url.origin !== "https://social.signalpost.org") return fetchFromNetwork(input, init);
  const body = await readFile(join(folder, url.pathname));
  return new Response(body, { headers: { "content-type": "application/json" } });
};
const network = await TestNetworkNoAppView.create({});

const accounts = [];
for (const { handle, password } of logins) {
  const agent = network.pds.getAgent();
  const { data } = await agent.createAccount({ email: `${handle}@example.test`, handle, password });
  const created = await agent.com.atproto.server.createAppPassword({ name: "signalpost" });
  accounts.push({ handle, did: data.did, password, appPassword: created.data.password });
}
console.log(JSON.stringify({ url: network.pds.url, plcUrl: network.plc.url, accounts }));

process.stdin.resume();
process.stdin.on("end", async () => {
  await network.close();
  process.exit(0);
});
