// Deliveries of webhooks: Standard Webhooks, by Web Crypto, wherever that is.
import type { webhooks } from "./schema.d.ts";

type DataOf<Type extends keyof webhooks> = NonNullable<webhooks[Type]["post"]["requestBody"]>["content"]["application/json"]["data"];
type Envelope<Type extends string, Data> = { id: string; type: Type; createdAt: string; data: Data };
/** An event, told apart by `type`; a type that this version does not know is returned as well. */
export type Event = { [Type in keyof webhooks]: Envelope<Type, DataOf<Type>> }[keyof webhooks];

/** A delivery is not from your Signalpost, or too old: respond 401. */
export class InvalidDelivery extends Error {}

type Bytes = string | Uint8Array<ArrayBuffer>;
type Headed = Headers | Record<string, string | string[] | undefined>;

const bytes = (value: Bytes) => (typeof value === "string" ? new TextEncoder().encode(value) : value);

async function signature(body: Bytes, secret: string, id: string, timestamp: string): Promise<string> {
  let key: Uint8Array<ArrayBuffer>;
  try {
    key = Uint8Array.from(atob(secret.trim().replace(/^whsec_/, "")), (character) => character.charCodeAt(0));
  } catch {
    key = new Uint8Array();
  }
  if (!key.length) throw new TypeError("The secret is not that of a webhook: it starts with whsec_ and is base64.");
  const signer = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signed = await new Blob([`${id}.${timestamp}.`, bytes(body)]).arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.sign("HMAC", signer, signed));
  return `v1,${btoa(String.fromCharCode(...digest))}`;
}

function same(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let place = 0; place < one.length; place++) difference |= one.charCodeAt(place) ^ other.charCodeAt(place);
  return difference === 0;
}

/** Return the event of a delivery; `rawBody` has the bytes as they arrived. */
export async function verify(rawBody: Bytes, headers: Headed, secret: string, { toleranceSeconds = 300 } = {}): Promise<Event> {
  const all = new Headers(headers instanceof Headers ? headers : Object.entries(headers).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, String(value)]])));
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => all.get(name) ?? "");
  if (!id || !signatures || !/^\d{1,15}$/.test(timestamp ?? "")) throw new InvalidDelivery("This is not a delivery of Signalpost: a header is missing.");
  const expected = await signature(rawBody, secret, id, timestamp as string);
  const fits = signatures.split(" ").slice(0, 16).map((candidate) => same(expected, candidate));
  if (!fits.includes(true)) throw new InvalidDelivery("No signature fits: another secret, or not the bytes that arrived.");
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds) throw new InvalidDelivery("The delivery is too old, or your clock is wrong.");
  try {
    return JSON.parse(new TextDecoder().decode(bytes(rawBody)));
  } catch {
    throw new InvalidDelivery("The body is not JSON.");
  }
}

/** Return the headers of a delivery, to test a receiver. */
export async function sign(rawBody: Bytes, secret: string, { id = "evt_test", timestamp = Math.floor(Date.now() / 1000) } = {}): Promise<Record<string, string>> {
  const at = String(timestamp);
  return { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": await signature(rawBody, secret, id, at) };
}
