// What operations hand out or revive, as their contracts declare it, and what is required for it. docs/permissions.md prints the table.

/**
 * What a successful call hands out or revives, in words, and what the caller has to show for it: `proof` of a session, `permissions` that
 * are no fewer, and `bounds` of the caller's credential that are no narrower. platform/kernel/giving.ts
 */
export const GIFTS = {
  credential: { words: "a credential", requires: ["proof", "permissions", "bounds"] },
  code: { words: "a code or link", requires: ["proof", "permissions", "bounds"] },
  membership: { words: "a membership or role", requires: ["proof", "permissions", "bounds"] },
  reference: { words: "a reference to a secret", requires: ["proof", "permissions"] },
  destination: { words: "a destination of data", requires: ["proof", "bounds"] },
  method: { words: "a way to sign in", requires: ["proof"] },
  value: { words: "the value of a secret", requires: ["proof"] },
  removal: { words: "the end of an account, a team or a way to sign in", requires: ["proof"] },
} as const;
export type Gift = keyof typeof GIFTS;

/** With `when`, only some calls do: the handler finds out, and asks for the proof itself. */
export type Gives = "nothing" | Gift | { readonly what: Gift; readonly when: "handler" };

/** A mutation says what it hands out or revives; a GET that says nothing hands out nothing. */
export type Giving =
  | { readonly method: "GET"; readonly gives?: Gives }
  | { readonly method: "POST" | "PUT" | "PATCH" | "DELETE"; readonly gives: Gives };

/** What an endpoint hands out or revives, and whether each of its calls does; null: nothing. */
export function giftOf({
  gives = "nothing",
}: {
  readonly gives?: Gives;
}): { readonly what: Gift; readonly isAlways: boolean } | null {
  if (gives === "nothing") return null;
  return typeof gives === "string" ? { what: gives, isAlways: true } : { what: gives.what, isAlways: false };
}
