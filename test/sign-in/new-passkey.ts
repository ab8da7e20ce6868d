// A passkey as src/identity/sign-in/ hands it on after an authenticator has made it. Nothing is signed with it.
import type { NewPasskey } from "../../src/identity/methods/passkeys.ts";
import { uniqueName } from "../harness/test-app.ts";
import type { TestApp } from "../harness/test-app.ts";

/** Answers a new challenge of the account. */
export async function newPasskey({ app, clock }: Pick<TestApp, "app" | "clock">, userId: string): Promise<NewPasskey> {
  const challenge = await app.runner.changes.createPasskeyChallenge({ purpose: "passkey-new", userId }, clock.now);
  return {
    kind: "passkey",
    challenge,
    credentialId: uniqueName("credential"),
    rpId: "localhost",
    publicKey: new Uint8Array([1]),
    counter: 0,
    transports: [],
    name: "Laptop",
  };
}
