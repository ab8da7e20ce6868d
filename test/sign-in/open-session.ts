// Signs somebody in as a link of the command line does, for tests that are about what a session may do.
import { createSecretCode } from "../../src/platform/kernel/credential.ts";
import type { TestApp, TestUser } from "../harness/test-app.ts";

const ORIGIN = { ip: "127.0.0.1", userAgent: "test", requestId: "req_test", via: "http" } as const;

/** The value of a new session's cookie, and its id. */
export async function openSession(
  { app, clock }: Pick<TestApp, "app" | "clock">,
  user: Pick<TestUser, "id">,
): Promise<{ readonly session: string; readonly id: string }> {
  const { changes } = app.runner;
  const link = await changes.createSignInLink({ name: user.id }, clock.now);
  if (!link) throw new Error("openSession: there is no such user");
  const session = createSecretCode();
  const device = createSecretCode();
  const hashes = { sessionHash: session.hash, deviceHash: device.hash };
  await changes.useSignInLink({ code: link.code, ...hashes, origin: ORIGIN, method: null }, clock.now);
  const caller = await app.runner.findCaller(
    { value: session.value, kind: "session", hash: session.hash },
    clock.now,
    ORIGIN.ip,
  );
  return { session: session.value, id: caller?.credentialId as string };
}
