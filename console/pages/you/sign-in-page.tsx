// The ways to sign in to one's own account, and where it is signed in.
import type { ReactNode } from "react";
import { Settled } from "../../parts/settled.tsx";
import { Identities } from "./identities.tsx";
import { Passkeys } from "./passkeys.tsx";
import { Password } from "./password.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { Sessions } from "./sessions.tsx";

export function SignInPage(): ReactNode {
  return (
    <div className="forms">
      <Passkeys />
      <Settled>
        <section className="panel">
          <h2>Other ways to sign in</h2>
          <ul className="rows">
            <Password />
            <RecoveryCodes />
            <Identities />
          </ul>
        </section>
        <Sessions />
      </Settled>
    </div>
  );
}
