// Passkeys: WebAuthn (https://www.w3.org/TR/webauthn-3/) by @simplewebauthn/server, which is loaded for the first passkey. A passkey
// needs no name: the authenticator knows which account it is for. It needs the person too (user verification), so it suffices alone.
import { createHash } from "node:crypto";
import { isIP } from "node:net";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { ApiError } from "../../platform/kernel/errors.ts";
import type { NewPasskey } from "../methods/passkeys.ts";

const RP_NAME = "Reeve";
/** How long a person may take. */
const TIMEOUT_MS = 5 * 60_000;
const MAX_NAME_LENGTH = 100;
/** EdDSA, ES256 and RS256, of the COSE registry: what authenticators have. The library would also ask Node for what is experimental. */
const ALGORITHMS = [-8, -7, -257];

/** Where a browser sees this server. */
export interface Site {
  /** Such as `https://reeve.example.com`. */
  readonly origin: string;
}

export function hostOf({ origin }: Site): string {
  return new URL(origin).hostname.replace(/^\[|\]$/g, "");
}

/** Browsers make passkeys for names of hosts alone, over https or on localhost. */
export function supportsPasskeys(site: Site): boolean {
  const host = hostOf(site);
  return isIP(host) === 0 && (site.origin.startsWith("https:") || host === "localhost" || host.endsWith(".localhost"));
}

const load = () => import("@simplewebauthn/server");

/** The challenge is a one-time code as text; authenticators sign its bytes. */
function challengeOf(clientDataJSON: string): string {
  const { challenge } = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString()) as { challenge: string };
  return Buffer.from(challenge, "base64url").toString();
}

export function refusePasskey(): ApiError {
  return new ApiError("sign_in_failed", "This passkey is not known here, or did not answer as it should");
}

export interface NewPasskeyOptions {
  readonly site: Site;
  readonly challenge: string;
  readonly username: string;
  readonly name: string | null;
  /** Credentials that the account has. */
  readonly exclude: readonly string[];
}

/** What `navigator.credentials.create` is given. */
export async function describeNewPasskey({ site, challenge, username, name, exclude }: NewPasskeyOptions) {
  const { generateRegistrationOptions } = await load();
  return await generateRegistrationOptions({
    rpName: RP_NAME,
    rpID: hostOf(site),
    challenge,
    userName: username,
    userDisplayName: name ?? username,
    // Another one for each passkey, so that none takes the place of another; the same when the same request is answered again.
    userID: createHash("sha256").update(challenge).digest(),
    attestationType: "none",
    supportedAlgorithmIDs: ALGORITHMS,
    timeout: TIMEOUT_MS,
    excludeCredentials: exclude.map((id) => ({ id })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

/** What `navigator.credentials.get` is given. */
export async function describeProof({ rpId, challenge }: { readonly rpId: string; readonly challenge: string }) {
  const { generateAuthenticationOptions } = await load();
  return await generateAuthenticationOptions({
    rpID: rpId,
    challenge,
    timeout: TIMEOUT_MS,
    userVerification: "required",
  });
}

/** What an authenticator says, as JSON of a browser. */
function parseResponse(text: string): { readonly response: { readonly clientDataJSON: string } } {
  try {
    const parsed = JSON.parse(text) as ReturnType<typeof parseResponse>;
    challengeOf(parsed.response.clientDataJSON);
    return parsed;
  } catch {
    throw refusePasskey();
  }
}

/** Verifies what an authenticator has made. `name` is how its owner tells passkeys apart. */
export async function verifyNewPasskey(site: Site, text: string, name: string): Promise<NewPasskey> {
  const response = parseResponse(text) as RegistrationResponseJSON;
  const { verifyRegistrationResponse } = await load();
  const verified = await verifyRegistrationResponse({
    response,
    // Whether the challenge is open, the store decides.
    expectedChallenge: () => true,
    expectedOrigin: site.origin,
    expectedRPID: hostOf(site),
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => null);
  if (!verified?.verified) throw refusePasskey();
  const { credential } = verified.registrationInfo;
  return {
    kind: "passkey",
    challenge: challengeOf(response.response.clientDataJSON),
    credentialId: credential.id,
    rpId: hostOf(site),
    publicKey: credential.publicKey,
    counter: credential.counter,
    transports: response.response.transports ?? [],
    name: name.trim().slice(0, MAX_NAME_LENGTH) || "Passkey",
  };
}

export interface StoredPasskey {
  readonly rpId: string;
  readonly publicKey: Uint8Array;
  readonly counter: number;
}

/** A proof whose signature is to be verified. */
export interface PasskeyProof {
  readonly credentialId: string;
  readonly challenge: string;
  /** Throws when the signature is not by this passkey on this site; resolves to the authenticator's count of uses. */
  verify(stored: StoredPasskey): Promise<number>;
}

export function readProof(site: Site, text: string): PasskeyProof {
  const response = parseResponse(text) as AuthenticationResponseJSON;
  return {
    credentialId: response.id,
    challenge: challengeOf(response.response.clientDataJSON),
    async verify({ rpId, publicKey, counter }) {
      const { verifyAuthenticationResponse } = await load();
      const verified = await verifyAuthenticationResponse({
        response,
        expectedChallenge: () => true,
        expectedOrigin: site.origin,
        expectedRPID: rpId,
        credential: { id: response.id, publicKey: new Uint8Array(publicKey), counter },
      }).catch(() => null);
      if (!verified?.verified) throw refusePasskey();
      return verified.authenticationInfo.newCounter;
    },
  };
}
