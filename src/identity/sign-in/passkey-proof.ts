// Proving who one is with a passkey.
import { findCredentialIds, findPasskeyByCredential, findPasskeyHost, requireChallenge } from "../methods/passkeys.ts";
import { addressSubject } from "../methods/failures/failures.ts";
import { describeNewPasskey, describeProof, hostOf, readProof, refusePasskey } from "./passkeys.ts";
import type { Site } from "./passkeys.ts";
import type { PasskeySubject, SignInClient, SignInDependencies } from "./sign-in-methods.ts";

/** Verifies what an authenticator has signed. */
export async function verifyPasskey(
  { reader, changes, clock }: SignInDependencies,
  text: string,
  { site, origin }: SignInClient,
) {
  const proof = readProof(site, text);
  await requireChallenge(reader, "passkey-proof", proof.challenge, clock());
  const stored = await findPasskeyByCredential(reader, proof.credentialId);
  if (!stored) throw refusePasskey();
  const counter = await proof.verify(stored).catch(async (error: unknown) => {
    // Whose passkey it is, is known: its owner sees that somebody tried.
    const failed = { userId: stored.userId, method: "passkey" as const };
    await changes.recordSignInFailure({ failed, subjects: [addressSubject(origin.ip)], origin }, clock());
    throw error;
  });
  return { passkeyId: stored.id, userId: stored.userId, challenge: proof.challenge, counter, origin };
}

/** What an authenticator is asked for a proof, or (with `about`) for a new passkey. */
export async function askPasskey(
  { reader, changes, clock }: SignInDependencies,
  about: PasskeySubject | null,
  site: Site,
): Promise<unknown> {
  if (about === null) {
    const challenge = await changes.createPasskeyChallenge({ purpose: "passkey-proof", userId: null }, clock());
    return await describeProof({ rpId: await findPasskeyHost(reader, hostOf(site)), challenge });
  }
  const { userId, username, name } = about;
  const challenge = await changes.createPasskeyChallenge({ purpose: "passkey-new", userId }, clock());
  const exclude = userId === null ? [] : await findCredentialIds(reader, userId);
  return await describeNewPasskey({ site, challenge, username, name, exclude });
}
