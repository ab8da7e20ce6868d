// The internal changes by which strangers add data, refused while little disk space is left: what protects needs the rest. The first steps of
// a sign-in are refused later than others, because people sign in to protect something.
import type { DiskReserve } from "../platform/http/limits/disk-reserve.ts";
import type { Changes } from "./composition/internal-changes.ts";
import type { ChangeRunner } from "../platform/kernel/internal-changes.ts";

/** The share of the reserve below which nobody begins to sign in by a passkey or a provider. */
const SIGN_IN_SHARE = 1 / 2;

type Runner = ChangeRunner<Changes>;
/** The share of the reserve that a call needs, or null when it needs none. */
type Share<Name extends keyof Runner> = (input: Parameters<Runner[Name]>[0]) => number | null;

const SHARES: { readonly [Name in keyof Runner]?: Share<Name> } = {
  // Tokens of programs have no address: a person has approved them.
  saveOAuthRecord: ({ address }) => (address === null ? null : 1),
  countAskedMail: () => 1,
  signUp: () => 1,
  joinWithAccount: () => 1,
  createPasskeyChallenge: ({ userId }) => (userId === null ? SIGN_IN_SHARE : null),
  beginProviderStep: ({ userId }) => (userId === null ? SIGN_IN_SHARE : null),
  keepIdentity: () => SIGN_IN_SHARE,
};

export function limitStrangers(changes: Runner, disk: DiskReserve): Runner {
  const limited = Object.entries(SHARES).map(([name, shareOf]) => {
    const run = changes[name as keyof Runner] as (input: never, now: number) => Promise<unknown>;
    return [
      name,
      async (input: never, now: number) => {
        const share = (shareOf as (input: never) => number | null)(input);
        if (share !== null) disk.require(share);
        return await run(input, now);
      },
    ];
  });
  return { ...changes, ...(Object.fromEntries(limited) as Partial<Runner>) };
}
