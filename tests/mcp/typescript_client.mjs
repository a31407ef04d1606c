// Plans a post by the official client for TypeScript: node typescript_client.mjs ADDRESS KEY CONTENTS
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [address, key, contents] = process.argv.slice(2);
const client = new Client({ name: "signalpost-tests", version: "1.0.0" });
const requestInit = { headers: { Authorization: `Bearer ${key}` } };
await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit }));

const call = async (name, values) => (await client.callTool({ name, arguments: values })).structuredContent;
const list = await client.listTools();
const refused = await call("schedule_post", JSON.parse(contents));
const { confirmationToken } = await call("validate_post", JSON.parse(contents));
const post = await call("schedule_post", { ...JSON.parse(contents), confirmationToken });
const resource = await client.readResource({ uri: `signalpost://posts/${post.id}` });
const { prompts } = await client.listPrompts();
await client.close();
console.log(
  JSON.stringify({
    names: list.tools.map(({ name }) => name),
    prompts: prompts.map(({ name }) => name),
    refused: refused.code,
    post,
    read: JSON.parse(resource.contents[0].text),
  }),
);
