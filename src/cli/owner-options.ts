// The flags that select an owner: a team or a user.
import { Option } from "commander";
import type { OwnerReference } from "../serve/command-owner.ts";

export interface OwnerOptions {
  readonly team?: string;
  readonly user?: string;
}

/** `things` ends the sentence "the team whose ..."; `team` is another flag for it. */
export function ownerOptions(
  things: string,
  team = new Option("--team <team>", `id or slug of the team whose ${things}`),
): readonly Option[] {
  return [
    team.conflicts("user"),
    new Option("--user <username>", "or whose own they are: a username, e-mail address or id"),
  ];
}

export function readOwner({ team, user }: OwnerOptions): OwnerReference | null {
  if (team !== undefined) return { team };
  return user === undefined ? null : { user };
}
