// The signatures of one request, by two conventions side by side: Standard Webhooks (`webhook-signature`, HMAC-SHA256 and
// Ed25519) and the older header of the public API (`x-vercel-signature`, HMAC-SHA1 of the body).
// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
import { createHmac, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Expiring, Target } from "../webhooks/target.ts";

function signBody(key: KeyObject, body: Buffer): string {
  return createHmac("sha1", key).update(body).digest("hex");
}

function signMessage(key: KeyObject, head: string, body: Buffer): string {
  return createHmac("sha256", key).update(head).update(body).digest("base64");
}

function validValues<T>(values: readonly Expiring<T>[], now: number): T[] {
  return values.filter(({ expiresAt }) => expiresAt === null || expiresAt > now).map(({ value }) => value);
}

/** The headers that sign `body`, sent at `now` (ms) under `id`: with the present secret, and during a rotation's overlap with the previous one. */
export function signatureHeaders(
  target: Pick<Target, "secrets" | "keys">,
  id: string,
  now: number,
  body: Buffer,
): Record<string, string> {
  const timestamp = String(Math.floor(now / SECOND_MS));
  const head = `${id}.${timestamp}.`;
  const secrets = validValues(target.secrets, now);
  const [current, previous] = secrets;
  const signatures = [
    ...secrets.map(({ bytes }) => `v1,${signMessage(bytes, head, body)}`),
    ...validValues(target.keys, now).map(
      (key) => `v1a,${sign(null, Buffer.concat([Buffer.from(head), body]), key).toString("base64")}`,
    ),
  ];
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
    ...(current && { "x-vercel-signature": signBody(current.text, body) }),
    // That header holds one signature; receivers that still have the previous secret look here.
    ...(previous && { "x-vercel-signature-previous": signBody(previous.text, body) }),
  };
}
