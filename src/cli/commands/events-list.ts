import { Option } from "commander";
import type { CommandSpec } from "../command.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import { formatTable, formatTime } from "../output.ts";
import { ownerOptions } from "../owner-options.ts";
import type { OwnerOptions } from "../owner-options.ts";
import { teamOption } from "../place-options.ts";
import { TIME_FORMS, readTime } from "../times.ts";

interface Event {
  readonly sequence: number;
  readonly type: string;
  readonly text: string;
  readonly createdAt: number;
  /** Where the events of all owners are listed. */
  readonly ownerId?: string;
}

interface Page {
  readonly events: readonly Event[];
  readonly cursor?: string;
}

interface ListOptions extends OwnerOptions {
  readonly limit: number;
  readonly types?: string;
  readonly since?: string;
  readonly until?: string;
}

const TEAM = "id or slug of the team; without one, what the credential itself owns, and with --local everybody's";
const DEFAULT_COUNT = 20;
const MAX_COUNT = 10_000;
const PAGE_SIZE = 250;

function readCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= MAX_COUNT) return count;
  throw new Failure("usage", `--limit: expected a whole number from 1 to ${MAX_COUNT}`);
}

/** The query of the page after `page`; null where that was the last one. */
function following(page: Page, isInstance: boolean): Readonly<Record<string, string | number>> | null {
  if (isInstance) return page.cursor === undefined ? null : { cursor: page.cursor };
  const last = page.events.at(-1);
  return last === undefined ? null : { before: last.sequence };
}

function describeEvents(events: readonly Event[], isInstance: boolean): string {
  if (events.length === 0) return "There are no such events.";
  return formatTable(
    ["time", ...(isInstance ? ["owner"] : []), "sequence", "type", "what happened"],
    events.map(({ createdAt, ownerId = "", sequence, type, text }) => [
      formatTime(createdAt, "-"),
      ...(isInstance ? [ownerId] : []),
      String(sequence),
      type,
      text,
    ]),
  );
}

export const eventsListCommand: CommandSpec<ListOptions> = {
  name: "list",
  summary: "list what happened, newest first",
  description:
    "List the newest events of the whole instance, of all owners, or those of one team or account. Those of a deleted " +
    "team are listed too, by its id or its last slug.",
  examples: [
    "reeve events list",
    "reeve events list --types 'team-member-*,user-create' --since 2030-01-01 --limit 100",
    "reeve events list --team acme --json",
  ],
  options: [
    // On a server the team of the folder counts too.
    ...ownerOptions("events they are", teamOption(TEAM)),
    new Option("--limit <count>", `how many events at most, ${MAX_COUNT} or fewer`)
      .default(DEFAULT_COUNT)
      .argParser(readCount),
    new Option("--types <names>", "only types with these names or globs, separated by commas"),
    new Option("--since <when>", `only events of this time or later: ${TIME_FORMS.back}`),
    new Option("--until <when>", `only events of this time or earlier: ${TIME_FORMS.back}`),
  ],
  async run({ callStore, options, output }) {
    const { team, user, limit, types, since, until } = options;
    const isInstance = team === undefined && user === undefined;
    const filter = {
      ...(isInstance && { instance: true }),
      ...(types !== undefined && { types }),
      ...(since !== undefined && { since: readTime(since, "--since", "back") }),
      ...(until !== undefined && { until: readTime(until, "--until", "back") }),
    };
    const events: Event[] = [];
    let next: ReturnType<typeof following> = {};
    while (next && events.length < limit) {
      const query = { ...filter, ...next, limit: Math.min(PAGE_SIZE, limit - events.length) };
      const body = await callStore({ operation: "listEvents", user: user ?? null, team, query });
      const page = body as Page;
      events.push(...page.events);
      next = following(page, isInstance);
    }
    output.result({ events }, describeEvents(events, isInstance));
  },
};
