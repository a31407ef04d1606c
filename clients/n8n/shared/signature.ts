// Standard Webhooks: HMAC-SHA256 over id, time and the bytes that arrived.
import { createHmac, timingSafeEqual } from "node:crypto";

const SIGNATURES_MAX = 16;
export const TOLERANCE_SECONDS = 300;

export interface Delivery {
  id: string;
  timestamp: string;
  signatures: string;
  body: Buffer;
}

/** Why a delivery is not to be believed, or nothing if it is: signed with `secret`, and at most five minutes old. */
export function forgery(delivery: Delivery, secret: string, nowSeconds: number): string | undefined {
  const { id, timestamp, signatures, body } = delivery;
  if (!id || !signatures || !/^\d{1,12}$/.test(timestamp)) return "A header of the signature is missing.";
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  if (key.length === 0) return "This webhook has no secret. Deactivate the workflow and activate it again.";
  const digest = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
  const expected = Buffer.from(`v1,${digest}`);
  const fits = signatures.split(" ").slice(0, SIGNATURES_MAX).map((candidate) => {
    const received = Buffer.from(candidate);
    return received.length === expected.length && timingSafeEqual(received, expected);
  });
  if (!fits.includes(true)) return "No signature fits: another secret, or not the bytes that were signed.";
  if (Math.abs(nowSeconds - Number(timestamp)) > TOLERANCE_SECONDS) return "The delivery is too old, or a clock is wrong.";
  return undefined;
}
