// The effects of the operations that make passkeys. What an authenticator says is verified here, outside of the transaction that stores it.
import { ApiError, fieldError } from "../../platform/kernel/errors.ts";
import { findOwnPasskey } from "../methods/passkeys.ts";
import { makeMethod } from "./new-methods.ts";
import { describeNewPasskey } from "./passkeys.ts";
import type { SignIn, SignInDependencies } from "./sign-in-methods.ts";

/** Anyone who calls is signed in: what the authenticator says is wrong, not who says it. */
function asBadInput(error: unknown): never {
  if (!(error instanceof ApiError) || error.code !== "sign_in_failed") throw error;
  throw fieldError("bad_request", "body.credential", error.message);
}

export function createPasskeyEffects(
  dependencies: SignInDependencies,
): Pick<SignIn, "createPasskeyOptions" | "createPasskey"> {
  const { reader, changes, clock } = dependencies;
  return {
    async createPasskeyOptions({ account: { username, name }, challenge, exclude }, _signal, siteOrigin) {
      return {
        publicKey: await describeNewPasskey({ site: { origin: siteOrigin }, challenge, username, name, exclude }),
      };
    },

    async createPasskey({ account, credential, name, origin }, _signal, siteOrigin) {
      // The request may be one that came before: its response was lost on the way.
      const { id } = credential as { readonly id?: unknown };
      const known = await findOwnPasskey(reader, account.id, String(id));
      if (known) return { passkey: known };
      const input = { passkey: JSON.stringify(credential), name };
      const method = await makeMethod(dependencies, input, account, { origin: siteOrigin }).catch(asBadInput);
      const addition = { userId: account.id, method, sessionId: null, origin };
      await changes.addSignInMethod(addition, clock()).catch(asBadInput);
      const { credentialId } = method as Extract<typeof method, { kind: "passkey" }>;
      return { passkey: await findOwnPasskey(reader, account.id, credentialId) };
    },
  };
}
