// Makes the methods to sign in with that a form or a call of the API asks for.
import { fieldError } from "../../platform/kernel/errors.ts";
import type { NewMethod } from "../methods/methods.ts";
import { requireChallenge } from "../methods/passkeys.ts";
import { findWeakness } from "./password-strength.ts";
import type { PersonNames } from "./password-strength.ts";
import { verifyNewPasskey } from "./passkeys.ts";
import type { Site } from "./passkeys.ts";
import { requirePasswords } from "./passwords-off.ts";
import type { MethodInput, SignInDependencies } from "./sign-in-methods.ts";

type Dependencies = Pick<SignInDependencies, "reader" | "clock" | "hashing" | "instance">;

export async function makePassword(
  { hashing, instance }: Dependencies,
  password: string,
  person: PersonNames,
): Promise<NewMethod> {
  requirePasswords(instance);
  const problem = await findWeakness(password, person);
  if (problem !== null) throw fieldError("weak_password", "body.password", problem);
  return { kind: "password", hash: await hashing.hash(password) };
}

/** The method of a form. Throws what is wrong with it, before anything is changed. */
export async function makeMethod(
  dependencies: Dependencies,
  input: MethodInput,
  person: PersonNames,
  site: Site,
): Promise<NewMethod> {
  if ("password" in input) return await makePassword(dependencies, input.password, person);
  const made = await verifyNewPasskey(site, input.passkey, input.name);
  await requireChallenge(dependencies.reader, "passkey-new", made.challenge, dependencies.clock());
  return made;
}
