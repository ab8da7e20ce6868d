// A username for an account that is made from what is known of its owner.
import { randomHex } from "../../platform/kernel/ids.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { USERNAME } from "./contract.ts";
import { findUserByUsername } from "./store.ts";

const { maxLength } = USERNAME;
const SUFFIX_LENGTH = 6;

/** Text in the form of usernames; what does not belong there is left out. */
function toUsername(text: string): string {
  return (text.split("@")[0] ?? "")
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9_.-]/g, "")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, maxLength);
}

/** The first of some wishes, such as a name elsewhere or an e-mail address, that is a free name, or something like it. */
export async function findFreeUsername(tx: Tx, wishes: readonly string[]): Promise<string> {
  const names = wishes.map(toUsername).filter((name) => name !== "");
  for (const name of names) {
    if (!(await findUserByUsername(tx, { usernameKey: name.toLowerCase() }))) return name;
  }
  const stem = (names[0] ?? "user").slice(0, maxLength - SUFFIX_LENGTH - 1);
  return `${stem}-${randomHex(SUFFIX_LENGTH)}`;
}
