// Files: from an earlier node, in pieces that a repetition goes on from, or fetched by the service from an address.
import { NodeOperationError, sleep } from "n8n-workflow";
import type { IDataObject, IExecuteFunctions, INodeProperties } from "n8n-workflow";

import { call, callWhole, idempotencyKey } from "../../shared/api";
import { shown } from "./fields";

const PIECE_BYTES = 8 * 1024 * 1024;
const TUS = { "Tus-Resumable": "1.0.0" };
const UNDER_WAY = ["pending", "uploaded", "processing"];
const POLLS_MAX = 240;

export const mediaProperties: INodeProperties[] = [
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show: { resource: ["media"] } },
    options: [
      { name: "Upload", value: "upload", description: "Put a file into the library", action: "Upload a file" },
    ],
    default: "upload",
  },
  {
    displayName: "Source",
    name: "source",
    type: "options",
    displayOptions: shown("media", ["upload"]),
    options: [
      { name: "File of an Earlier Node", value: "binary" },
      { name: "URL", value: "url", description: "A public https address of the file itself" },
    ],
    default: "binary",
  },
  {
    displayName: "Input Binary Field",
    name: "binaryPropertyName",
    type: "string",
    displayOptions: { show: { resource: ["media"], operation: ["upload"], source: ["binary"] } },
    hint: "The name of the input field containing the file data to be processed",
    default: "data",
    required: true,
  },
  {
    displayName: "URL",
    name: "url",
    type: "string",
    displayOptions: { show: { resource: ["media"], operation: ["upload"], source: ["url"] } },
    placeholder: "https://example.com/cat.jpg",
    default: "",
    required: true,
  },
  {
    displayName: "Alternative Text",
    name: "altText",
    type: "string",
    displayOptions: shown("media", ["upload"]),
    description: "Describes the file for people who cannot see it",
    default: "",
  },
  {
    displayName: "Client Name or ID",
    name: "mediaProfileId",
    type: "options",
    typeOptions: { loadOptionsMethod: "getProfiles" },
    displayOptions: shown("media", ["upload"]),
    description:
      'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
    default: "",
  },
];

interface File {
  name: string;
  type: string;
  size: number;
  /** The bytes from `offset` on, in pieces. */
  pieces(offset: number): AsyncIterable<Buffer>;
}

/** Join what a stream gives to pieces of the size that is sent at once, without what lies before `offset`. */
async function* joined(stream: AsyncIterable<Buffer>, offset: number): AsyncIterable<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  let skipped = 0;
  for await (const chunk of stream) {
    const part = chunk.subarray(Math.min(offset - skipped, chunk.length));
    skipped += chunk.length - part.length;
    parts.push(part);
    length += part.length;
    if (length >= PIECE_BYTES) {
      yield Buffer.concat(parts);
      [parts, length] = [[], 0];
    }
  }
  if (length > 0) yield Buffer.concat(parts);
}

async function fileOf(context: IExecuteFunctions, item: number): Promise<File> {
  const binary = context.helpers.assertBinaryData(item, context.getNodeParameter("binaryPropertyName", item) as string);
  const named = { name: binary.fileName ?? "file", type: binary.mimeType };
  const { id } = binary;
  if (id) {
    const { fileSize } = await context.helpers.getBinaryMetadata(id);
    const open = async function* (offset: number) {
      yield* joined((await context.helpers.getBinaryStream(id)) as AsyncIterable<Buffer>, offset);
    };
    return { ...named, size: fileSize, pieces: open };
  }
  const bytes = Buffer.from(binary.data, "base64");
  const cut = async function* (offset: number) {
    for (let at = offset; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
  };
  return { ...named, size: bytes.length, pieces: cut };
}

/** tus 1.0.0. With the same key, a second run of the item gets the same upload, and sends only what has not arrived. */
async function sendPieces(context: IExecuteFunctions, item: number, fields: IDataObject): Promise<string> {
  const file = await fileOf(context, item);
  const known = Object.entries({ filename: file.name, filetype: file.type, ...fields });
  const metadata = known.map(([name, value]) => `${name} ${Buffer.from(String(value)).toString("base64")}`).join(",");
  const headers = {
    ...TUS,
    "Upload-Length": String(file.size),
    "Upload-Metadata": metadata,
    "Idempotency-Key": idempotencyKey(context, item, "upload", { size: file.size, metadata }),
  };
  const { mediaId: id } = await call(context, { method: "POST", path: "/media/uploads", headers, item });
  const upload = await call(context, { method: "GET", path: `/media/uploads/${id}`, item });
  if (upload["status"] !== "pending") return String(id);
  let offset = Number(upload["offset"]);
  for await (const body of file.pieces(offset)) {
    const append = { ...TUS, "Upload-Offset": String(offset), "Content-Type": "application/offset+octet-stream" };
    await callWhole(context, { method: "PATCH", path: `/media/uploads/${id}`, headers: append, body, item });
    offset += body.length;
  }
  return String(id);
}

async function fetched(context: IExecuteFunctions, item: number, fields: IDataObject): Promise<string> {
  const body = { url: context.getNodeParameter("url", item) as string, ...fields };
  const headers = { "Idempotency-Key": idempotencyKey(context, item, "fetch", body) };
  const media = await call(context, { method: "POST", path: "/media/upload", body, headers, item });
  return String(media["id"]);
}

/** Upload a file, and return it when posts can use it. */
export async function upload(context: IExecuteFunctions, item: number): Promise<IDataObject[]> {
  const fields: IDataObject = {};
  const altText = context.getNodeParameter("altText", item, "") as string;
  const profileId = context.getNodeParameter("mediaProfileId", item, "") as string;
  if (altText) fields["altText"] = altText;
  if (profileId) fields["profileId"] = profileId;
  const isUrl = context.getNodeParameter("source", item) === "url";
  const id = await (isUrl ? fetched : sendPieces)(context, item, fields);
  const read = () => call(context, { method: "GET", path: `/media/${id}`, item });
  let media = await read();
  for (let polls = 0; UNDER_WAY.includes(String(media["status"])) && polls < POLLS_MAX; polls++) {
    await sleep(Math.min(100 * 1.5 ** polls, 2000));
    media = await read();
  }
  if (media["status"] !== "ready") {
    const error = media["error"] as IDataObject | null;
    throw new NodeOperationError(context.getNode(), `The file ${id} cannot be used: it is ${media["status"]}`, {
      description: String(error?.["message"] ?? "Look at it in the library of Signalpost."),
      itemIndex: item,
    });
  }
  return [media];
}
