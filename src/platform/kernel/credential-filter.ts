// Filters of lists of credentials: a part of the name or the suffix, and the state.
import { Type } from "typebox";
import { OneOf } from "./contract.ts";
import { DAY_MS } from "./scheduling/clock.ts";

/** What ends within this time ends soon. */
const SOON_MS = 7 * DAY_MS;

interface Credential {
  readonly name: string;
  readonly suffix: string;
  readonly createdAt: number;
  readonly activeAt: number;
  readonly expiresAt: number | null;
  readonly suspendedAt?: number | null;
}

const hasEnded = ({ expiresAt }: Credential, now: number): boolean => expiresAt !== null && expiresAt <= now;
const isActive = (row: Credential, now: number): boolean => !hasEnded(row, now) && (row.suspendedAt ?? null) === null;

const STATES = {
  active: isActive,
  ending: (row: Credential, now: number) => isActive(row, now) && (row.expiresAt ?? Infinity) <= now + SOON_MS,
  expired: hasEnded,
  unused: ({ createdAt, activeAt }: Credential) => activeAt <= createdAt,
  suspended: ({ suspendedAt = null }: Credential) => suspendedAt !== null,
} as const;

type State = keyof typeof STATES;

const MEANINGS: Readonly<Record<State, string>> = {
  active: "`active`: it works",
  ending: "`ending`: it works, and ends within 7 days",
  expired: "`expired`: its end is past",
  unused: "`unused`: it was not used after the minute in which it was created",
  suspended: "`suspended`: it is refused until somebody adopts it",
};

/** The members of a list's query; `states` are those that its credentials can be in. */
export const credentialQuery = <S extends State>(states: readonly S[]) => ({
  search: Type.Optional(
    Type.String({
      maxLength: 100,
      description: "Only those whose name contains this, ignoring case, or whose `suffix` is this.",
    }),
  ),
  state: Type.Optional(
    OneOf(states, { description: `Only those in this state. ${states.map((one) => MEANINGS[one]).join("; ")}.` }),
  ),
});

export interface CredentialFilter {
  readonly search?: string;
  readonly state?: State;
}

export const hasFilter = ({ search = "", state }: CredentialFilter): boolean => search !== "" || state !== undefined;

export function isFound(row: Credential, { search = "", state }: CredentialFilter, now: number): boolean {
  if (state !== undefined && !STATES[state](row, now)) return false;
  return row.suffix === search || row.name.toLowerCase().includes(search.toLowerCase());
}
