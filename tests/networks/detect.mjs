// What Bluesky's own library finds in each text of the JSON list on standard input.
import { RichText } from "@atproto/api";

let input = "";
for await (const chunk of process.stdin) input += chunk;
const results = JSON.parse(input).map((text) => {
  const rich = new RichText({ text });
  rich.detectFacetsWithoutResolution();
  return {
    graphemes: rich.graphemeLength,
    facets: (rich.facets ?? []).map(({ index, features: [feature] }) => [
      index.byteStart,
      index.byteEnd,
      feature.$type.split("#")[1],
      feature.uri ?? feature.tag ?? feature.did,
    ]),
  };
});
console.log(JSON.stringify(results));
