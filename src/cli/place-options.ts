// The flags that say what a command is about, a team, a project and an environment. Without a flag the place of the folder counts: a
// variable, or the file that `reeve link` writes.
import { isAbsolute } from "node:path";
import { Option } from "commander";
import type { Command } from "commander";
import { PLACE_NAMES, givenBy, recordGiven } from "./bodies/remote/place-names.ts";
import type { Place, PlaceName } from "./bodies/remote/place-names.ts";

/** A flag whose value a place can give. */
export class PlaceOption extends Option {
  readonly place: PlaceName;

  constructor(place: PlaceName, help: string) {
    const value = place === "team" ? "team" : "name";
    super(`-${place.charAt(0)}, --${place} <${value}>`, `${help} (REEVE_${place.toUpperCase()})`);
    this.place = place;
  }
}

export const teamOption = (help = "id or slug of the team; without one, what the credential itself owns"): Option =>
  new PlaceOption("team", help);

/** Leaves the file of `reeve link` unread. */
export const NO_LINK = new Option("--no-link", "take no names from .reeve.json");

/** The names that a file gave, and not the line; null: none. */
export function linkedPlace(options: object): string | null {
  const names = PLACE_NAMES.filter((name) => isAbsolute(givenBy(name)));
  const [first] = names;
  if (first === undefined) return null;
  const values = options as Readonly<Partial<Record<PlaceName, string>>>;
  return `${names.map((name) => `${name} ${values[name]}`).join(", ")} (${givenBy(first)})`;
}

/** What a change was about that neither its line nor the folder names; null: they name all of it. */
export function unnamedPlace({ options: flags }: Command, options: object): string | null {
  const values = options as Readonly<Partial<Record<PlaceName, string>>>;
  const taken = flags.flatMap((option) => (option instanceof PlaceOption ? [option.place] : []));
  const missing = taken.filter((name) => name !== "env" && values[name] === undefined);
  if (missing.length === 0) return null;
  const project = taken.includes("project") ? `the project ${values.project ?? "default"} of ` : "";
  const owner = values.team ?? "the credential's own account or team";
  const flagsOf = missing.map((name) => `--${name}`).join(" and ");
  return `This was about ${project}${owner}: ${flagsOf} ${missing.length > 1 ? "name others" : "names another"}.`;
}

/** The end of a message about a name that is missing. */
export const orPlace = (name: PlaceName): string =>
  `(or REEVE_${name.toUpperCase()}, or \`reeve link --${name} NAME\` in this folder)`;

function recordTyped({ long, short, place }: PlaceOption, words: readonly string[]): void {
  const isShort = (word: string) => typeof short === "string" && word.startsWith(short) && !word.startsWith("--");
  const typed = words.find((word) => word === long || word.startsWith(`${long}=`) || isShort(word));
  if (typed !== undefined) recordGiven(place, isShort(typed) ? (short as string) : (long as string));
}

/** The options of a command with what the place gives of those that are not on its line. */
export async function withPlace<O extends object>(
  options: O,
  { options: flags }: Command,
  words: readonly string[],
  findPlace: () => Promise<Place>,
): Promise<O> {
  const places = flags.filter((option) => option instanceof PlaceOption);
  for (const option of places) recordTyped(option, words);
  const missing = places.filter(({ place }) => !Object.hasOwn(options, place));
  if (missing.length === 0) return options;
  const found = await findPlace();
  const filled = missing.flatMap(({ place }) => {
    const { value, by } = found[place] ?? {};
    if (value === undefined || by === undefined) return [];
    recordGiven(place, by);
    return [[place, value] as const];
  });
  return { ...options, ...Object.fromEntries(filled) };
}
