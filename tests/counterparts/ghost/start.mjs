// Ghost's own client does at a site what the connector does; prints what it got as JSON.
// Usage: node start.mjs URL KEY IMAGE
import { createRequire } from "node:module";

const GhostAdminAPI = createRequire(import.meta.url)("@tryghost/admin-api");
const [url, key, file] = process.argv.slice(2);
const api = new GhostAdminAPI({ url, key, version: "v6.0" });
const refused = (call) =>
  call.then(
    () => null,
    (error) => ({ name: error.name, code: error.code ?? null, property: error.property ?? null }),
  );

const site = await api.site.read();
const image = await api.images.upload({ file, ref: "dot" });
const draft = await api.posts.add(
  {
    title: "Rye",
    slug: "a-key",
    html: "<p>Fresh &amp; warm</p>",
    feature_image: image.url,
    tags: ["Bread"],
  },
  { source: "html" },
);
const read = await api.posts.read({ slug: "a-key" });
const change = { id: draft.id, status: "published", slug: "Rye", updated_at: draft.updated_at };
const unknown = await refused(api.posts.edit({ ...change }, { newsletter: "daily" }));
const old = await refused(api.posts.edit({ ...change, updated_at: "2020-01-01T00:00:00.000Z" }));
const published = await api.posts.edit(
  { ...change },
  { newsletter: "weekly", email_segment: "status:free" },
);
const again = await api.posts.edit(
  { id: draft.id, status: "published", updated_at: published.updated_at },
  { newsletter: "weekly" },
);
const other = await api.posts.add({ title: "Rye", slug: "Rye" });
const listed = await api.posts.browse({ limit: 10, order: "updated_at desc" });
const long = await refused(api.posts.add({ title: "x".repeat(256) }));
await api.posts.delete({ id: other.id });
const gone = await refused(api.posts.read({ id: other.id }));
const stranger = new GhostAdminAPI({ url, key: key.slice(0, 25) + "0".repeat(64), version: "v6.0" });
const wrong = await refused(stranger.posts.browse({ limit: 1 }));

console.log(
  JSON.stringify({
    title: site.title,
    image,
    id: draft.id,
    read: [read.id, read.status],
    published: [published.status, published.slug, published.url],
    again: again.status,
    other: other.slug,
    listed: listed.length,
    refused: { unknown, old, long, gone, wrong },
  }),
);
