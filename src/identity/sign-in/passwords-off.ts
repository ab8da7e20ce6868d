// An instance on which nobody signs in with a password.
import type { Instance } from "../../platform/kernel/contract.ts";
import { ApiError } from "../../platform/kernel/errors.ts";

/** Refuses whatever needs a password where they are switched off. */
export function requirePasswords({ hasPasswords }: Pick<Instance, "hasPasswords">): void {
  if (hasPasswords) return;
  throw new ApiError("passwords_off", "Passwords are switched off on this server (REEVE_PASSWORDS): use a passkey");
}
