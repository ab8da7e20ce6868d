// The cookies that a browser gets by signing in.
import { createSecretCode, hashCredential } from "../../platform/kernel/credential.ts";

/** The cookies of a sign-in: a new session, and the device's own value or a new one; and their hashes. */
export function newCookies(device: string | null) {
  const session = createSecretCode();
  const kept = device === null ? createSecretCode() : { value: device, hash: hashCredential(device) };
  return {
    cookies: { session: session.value, device: kept.value },
    hashes: { sessionHash: session.hash, deviceHash: kept.hash },
  };
}
