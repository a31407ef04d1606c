// Publishes one post and waits until it is public, with types generated from the OpenAPI document.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

const [baseUrl, key, profileId] = process.argv.slice(2) as [string, string, string];
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

export const readme: components["schemas"]["PostCreate"] = README_BODY;

const created = await client.POST("/posts", { body: { profileId, platforms: ["sandbox"], text: "Hello from TypeScript" } });
if (created.error) throw new Error(`${created.error.code}: ${created.error.detail}`);
let status: string = created.data.status;
for (const deadline = Date.now() + 20_000; status !== "published" && Date.now() < deadline; ) {
  const answer = await client.GET("/posts/{id}", { params: { path: { id: created.data.id } } });
  status = answer.data?.status ?? "none";
}
const refused = await client.POST("/posts", { body: { profileId, platforms: ["nowhere"], text: "x" } });
const deleted = await client.DELETE("/posts/{id}", { params: { path: { id: created.data.id } } });
console.log(JSON.stringify({ status, code: refused.error?.code, path: refused.error?.errors?.[0]?.path, deleted: deleted.response.status }));
