// What a command is about, a team, a project and an environment, and what gave each of these names.
import { currentProcess } from "../../../platform/kernel/settings/current-process.ts";
import type { CommandProcess } from "../../../platform/kernel/settings/current-process.ts";

/** An environment of a project, and which of its values. */
export interface EnvironmentPlace {
  /** Id or slug; null: what the credential itself owns. */
  readonly team: string | null;
  readonly project: string;
  readonly environment: string;
  /** Separated by commas; null: all. */
  readonly names: string | null;
}

export const PLACE_NAMES = ["team", "project", "env"] as const;
export type PlaceName = (typeof PLACE_NAMES)[number];

/** Names, and what gave each: a variable or a file. */
export type Place = Readonly<Partial<Record<PlaceName, { readonly value: string; readonly by: string }>>>;

/** What gave each name to the command of a process, as its person knows it. */
const given = new WeakMap<CommandProcess, Map<string, string>>();

export function recordGiven(name: PlaceName, by: string): void {
  const one = currentProcess();
  given.set(one, (given.get(one) ?? new Map<string, string>()).set(name, by));
}

/** For messages: the flag as it was typed, or the variable or file that gave the value. */
export const givenBy = (name: string): string => given.get(currentProcess())?.get(name) ?? `--${name}`;
