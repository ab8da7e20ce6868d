// Filters of lists of credentials: a part of the name or the suffix, the state, and the last use; of API keys their role and who is responsible.
import { Type } from "typebox";
import { OneOf } from "./contract.ts";
import { DAY_MS, MAX_TIME_MS } from "./scheduling/clock.ts";
import { EPOCH_MS } from "./units.ts";

/** What ends within this time ends soon. */
const SOON_MS = 7 * DAY_MS;

interface Credential {
  readonly name: string;
  readonly suffix: string;
  readonly createdAt: number;
  readonly activeAt: number;
  readonly expiresAt: number | null;
  readonly suspendedAt?: number | null;
  readonly role?: string;
  readonly responsibleId?: string | null;
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
  activeBefore: Type.Optional(
    Type.Integer({
      ...EPOCH_MS,
      minimum: 0,
      maximum: MAX_TIME_MS,
      description: "Only those that were last used before this time, ms. What was never used counts from its creation.",
    }),
  ),
});

export interface CredentialFilter {
  readonly search?: string;
  readonly state?: State;
  readonly activeBefore?: number;
  readonly role?: string;
  readonly responsibleId?: string;
}

export const hasFilter = ({ search = "", state, activeBefore, role, responsibleId }: CredentialFilter): boolean =>
  search !== "" || (state ?? activeBefore ?? role ?? responsibleId) !== undefined;

export function isFound(row: Credential, filter: CredentialFilter, now: number): boolean {
  const { search = "", state, activeBefore = Infinity, role = row.role, responsibleId = row.responsibleId } = filter;
  if (state !== undefined && !STATES[state](row, now)) return false;
  if (row.activeAt >= activeBefore || row.role !== role || row.responsibleId !== responsibleId) return false;
  return row.suffix === search || row.name.toLowerCase().includes(search.toLowerCase());
}
