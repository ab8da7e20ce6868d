// What people ask for by mail who are not signed in. Neither the response nor its time depends on whether there is an account.
import { requireMail } from "../methods/codes/mail-limits.ts";
import { requireAllowedAddress } from "./sign-up-rule.ts";
import type { SignIn, SignInDependencies } from "./sign-in-methods.ts";

type Dependencies = Pick<SignInDependencies, "clock" | "instance" | "signUp" | "logFailure"> & {
  readonly changes: Pick<SignInDependencies["changes"], "countAskedMail" | "queueRecovery" | "queueSignUp">;
};

type Asked = Pick<SignIn, "askRecovery" | "askSignUp">;

export function createRequestedMail({ changes, clock, instance, signUp, logFailure }: Dependencies): Asked {
  return {
    async askRecovery(login, { origin }) {
      requireMail(instance, "ask its operator for a link (reeve user sign-in-link NAME)");
      await changes.countAskedMail({ ip: origin.ip, kind: "recovery" }, clock());
      // Nobody waits for this: an account that exists takes longer.
      changes.queueRecovery({ login, origin, instance }, clock()).catch(logFailure);
    },

    async askSignUp(text, { origin }) {
      const email = requireAllowedAddress(signUp, text);
      await changes.countAskedMail({ ip: origin.ip, kind: "sign-up" }, clock());
      // As above.
      changes.queueSignUp({ email, instance }, clock()).catch(logFailure);
    },
  };
}
