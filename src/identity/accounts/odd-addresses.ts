// Accounts that older versions made with an address in a form that no longer finds them: their mailbox is that of other accounts, too, or
// their address is none. `reeve doctor` lists them.
import { canonicalEmail } from "../../platform/kernel/text/email-address.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { findUserByEmail, listAddresses } from "./store.ts";

type Named = Pick<Awaited<ReturnType<typeof listAddresses>>[number], "id" | "username" | "email">;

export interface OddAddresses {
  /** Each mailbox with the accounts that have it, when those are several. */
  readonly shared: ReadonlyMap<string, readonly Named[]>;
  /** Accounts to whose address no mail can be sent. */
  readonly unusable: readonly Named[];
}

const BATCH = 1_000;

export async function findOddAddresses(reader: Tx): Promise<OddAddresses> {
  const shared = new Map<string, Named[]>();
  const unusable: Named[] = [];
  for (let after: string | undefined = ""; after !== undefined;) {
    const rows = await listAddresses(reader, { after, limit: BATCH });
    for (const { emailKey: key, ...account } of rows) {
      const email = canonicalEmail(account.email);
      if (email === undefined) unusable.push(account);
      // In place of a key, its own id: somebody has typed the address of another account, and nobody has confirmed it.
      if (email === undefined || key === email || key === account.id) continue;
      const holder = shared.has(email) ? undefined : await findUserByEmail(reader, { emailKey: email });
      shared.set(email, [...(shared.get(email) ?? (holder ? [holder] : [])), account]);
    }
    after = rows.at(-1)?.id;
  }
  return { shared, unusable };
}
