// Signs in with identities as src/identity/sign-in/ does after a provider has proved them, for tests about what that does in the store.
import { createSecretCode } from "../../src/platform/kernel/credential.ts";
import type { IdentityOutcome, IdentitySignIn, MappedRoles } from "../../src/identity/methods/identities/sign-in.ts";
import type { NewIdentity } from "../../src/identity/methods/identities/identities.ts";
import { uniqueName } from "../harness/test-app.ts";
import type { TestApp } from "../harness/test-app.ts";

export const ORIGIN = { ip: "192.0.2.7", userAgent: null, requestId: "req_test", via: "http" } as const;
const NO_ROLES: MappedRoles = { isAdministrator: null, teams: [] };

/** Somebody at a provider whom nobody here knows. */
export function newIdentity(more: Partial<NewIdentity> = {}): NewIdentity {
  const subject = uniqueName("subject");
  return {
    kind: "provider",
    provider: { id: "keycloak", name: "Keycloak" },
    issuer: "https://id.example.com",
    subject,
    email: `${subject}@acme.example`,
    isEmailVerified: true,
    name: "Ada",
    username: subject,
    ...more,
  };
}

/** Signs in; by default the provider makes accounts and maps no roles. Returns the session's value, too. */
export async function signInWithIdentity(
  { app, clock }: Pick<TestApp, "app" | "clock">,
  identity: NewIdentity,
  more: Partial<Pick<IdentitySignIn, "signUp" | "roles" | "provedAt" | "isNewcomer">> = {},
): Promise<{ readonly result: IdentityOutcome; readonly session: string }> {
  const session = createSecretCode();
  const result = await app.runner.changes.signInWithIdentity(
    {
      identity,
      signUp: { domains: [] },
      roles: NO_ROLES,
      isNewcomer: false,
      provedAt: clock.now,
      sessionHash: session.hash,
      deviceHash: createSecretCode().hash,
      origin: ORIGIN,
      ...more,
    },
    clock.now,
  );
  return { result, session: session.value };
}
