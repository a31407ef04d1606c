// Lemmy's own client does at an instance what the connector does; prints what it got as JSON.
// Usage: node start.mjs URL USERNAME PASSWORD IMAGE
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const { LemmyHttp } = createRequire(import.meta.url)("lemmy-js-client");
const [url, username_or_email, password, file] = process.argv.slice(2);
const api = new LemmyHttp(url);
const refused = (call) =>
  call.then(
    () => null,
    (error) => error.message,
  );

const stranger = await api.getSite();
const wrong = await refused(api.login({ username_or_email, password: "wrong" }));
const { jwt } = await api.login({ username_or_email, password });
api.setHeaders({ Authorization: `Bearer ${jwt}` });
const site = await api.getSite();
const bread = await api.getCommunity({ name: "bread" });
const community_id = bread.community_view.community.id;
const missing = await refused(api.getCommunity({ name: "nowhere@lemmy.example" }));
const image = await api.uploadImage({ image: await readFile(file) });
const language_id = site.all_languages.find(({ code }) => code === "de").id;
const { post_view } = await api.createPost({
  name: " Rye ",
  community_id,
  url: image.url,
  body: "Fresh & warm",
  alt_text: "A dot",
  nsfw: true,
  language_id,
});
const post_id = post_view.post.id;
const short = await refused(api.createPost({ name: "Ry", community_id }));
const { comment_view } = await api.createComment({ post_id, content: "More" });
const person_id = site.my_user.local_user_view.person.id;
const person = await api.getPersonDetails({ person_id, sort: "New", limit: 50, page: 1 });
const read = await api.getPost({ id: post_id });
await api.deletePost({ post_id, deleted: true });
const again = await refused(api.deletePost({ post_id, deleted: true }));
const modlog = await api.getModlog({
  type_: "ModRemovePost",
  other_person_id: person_id,
  limit: 50,
  page: 1,
});
await api.logout();
const ended = await refused(api.createPost({ name: "Wheat", community_id }));

console.log(
  JSON.stringify({
    version: [stranger.version, stranger.my_user ?? null],
    name: site.my_user.local_user_view.person.name,
    follows: site.my_user.follows.map(({ community }) => community.name),
    image: image.msg,
    id: post_id,
    post: [post_view.post.name, post_view.post.nsfw, post_view.post.language_id],
    comment: comment_view.comment.content,
    listed: person.posts.map(({ post }) => post.id),
    upvotes: read.post_view.counts.upvotes,
    removed: modlog.removed_posts.length,
    refused: { wrong, missing, short, again, ended },
  }),
);
