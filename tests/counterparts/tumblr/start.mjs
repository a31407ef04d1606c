// Tumblr's own client does what the connector does, and edits a post; prints what it got as JSON.
// Usage: node start.mjs URL CONSUMER_KEY CONSUMER_SECRET TOKEN TOKEN_SECRET BLOG IMAGE VIDEO
import { createReadStream } from "node:fs";
import http from "node:http";
import https from "node:https";
import { createRequire } from "node:module";

https.request = http.request; // the client calls it for addresses without TLS too, as that of the simulator
const { createClient } = createRequire(import.meta.url)("tumblr.js");
const [baseUrl, consumer_key, consumer_secret, token, token_secret, blog, image, video] =
  process.argv.slice(2);
const credentials = { baseUrl, consumer_key, consumer_secret, token, token_secret };
const client = createClient(credentials);
const refused = (call) =>
  call.then(
    () => null,
    (error) => error.message,
  );
const text = (words, more = {}) => ({ type: "text", text: words, ...more });

const { user } = await client.userInfo();
const plain = await client.createPost(blog, {
  content: [
    text("Rye", { subtype: "heading1" }),
    text("Fresh & warm", { formatting: [{ start: 0, end: 5, type: "bold" }] }),
    { type: "link", url: "https://example.com/a" },
  ],
  tags: ["rye", "sour dough"],
  source_url: "https://example.com/s",
});
const picture = await client.createPost(blog, {
  content: [text("A loaf"), { type: "image", media: createReadStream(image), alt_text: "A dot" }],
});
const film = await client.createPost(blog, {
  content: [{ type: "video", media: createReadStream(video) }],
});
const draft = await client.createPost(blog, { content: [text("Later")], state: "draft" });
await client.editPost(blog, plain.id, { content: [text("Fresh & cold")] });
const listed = await client.blogPosts(blog, { npf: true, limit: 20 });
const drafts = await client.blogDrafts(blog, { npf: true });
await client.deletePost(blog, picture.id);
const long = await refused(client.createPost(blog, { content: [text("x".repeat(4097))] }));
const gone = await refused(client.deletePost(blog, picture.id));
const stranger = createClient({ ...credentials, token_secret: "another" });
const wrong = await refused(stranger.userInfo());

console.log(
  JSON.stringify({
    blogs: user.blogs.map((entry) => entry.name),
    ids: [plain.id, picture.id, film.id, draft.id],
    listed: listed.posts.map((post) => [post.id_string, post.content[0].type]),
    drafts: drafts.posts.map((post) => post.id_string),
    refused: { long, gone, wrong },
  }),
);
