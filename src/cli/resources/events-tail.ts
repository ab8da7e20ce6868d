// `reeve events tail`: events when they happen. A connection that ends is opened again, without missing one.
import { setTimeout } from "node:timers/promises";
import { Option } from "commander";
import { ReeveError } from "../../client/error.ts";
import { toPrintable } from "../../platform/kernel/text/printable-text.ts";
import type { CommandSpec } from "../command.ts";
import { formatTime } from "../output.ts";
import { teamOption } from "../place-options.ts";
import { explainRemote } from "../bodies/remote/remote-failure.ts";
import type { RemoteClient } from "../bodies/remote/open-client.ts";
import { membersOf } from "./fields.ts";
import { endpointOf } from "./operation-command.ts";
import { chooseFields, pick } from "./print.ts";
import type { Item } from "./print.ts";

const AGAIN_MS = 2_000;

interface TailOptions {
  readonly team?: string;
  readonly type?: string;
  readonly since?: string;
  readonly json?: string;
}

function membersOfEvents(): ReturnType<typeof membersOf> {
  const { response } = endpointOf("listEvents");
  return membersOf((response as { properties: { events: { items: unknown } } }).properties.events.items);
}

/** An event; null: there is none yet behind the sequence that the stream begins with. */
interface Told {
  readonly sequence: number;
  readonly event: Item | null;
}

/** What the stream has; it ends when the connection does. */
async function* readStream({ client }: RemoteClient, query: object, signal: AbortSignal): AsyncGenerator<Told, void> {
  const options = { accept: "text/event-stream", signal };
  for await (const line of client.lines("streamEvents", { query }, options)) {
    const [, begin] = /^: events after (\d+)$/.exec(line) ?? [];
    if (begin !== undefined) yield { sequence: Number(begin), event: null };
    if (!line.startsWith("data: ")) continue;
    const event = JSON.parse(line.slice("data: ".length)) as Item;
    yield { sequence: event["sequence"] as number, event };
  }
}

function isLasting(error: unknown): boolean {
  return !(error instanceof ReeveError) || (error.status !== 0 && error.status < 500 && error.status !== 429);
}

function lineOf({ createdAt, sequence, type, text }: Item): string {
  const cells = [formatTime(createdAt as number, "-"), String(sequence), String(type), String(text)];
  return cells.map(toPrintable).join("\t");
}

export const eventsTailCommand: CommandSpec<TailOptions> = {
  name: "tail",
  summary: "print events when they happen",
  description:
    "Print events when they happen, oldest first, until it is stopped. With --json each is one line of JSON. A connection that " +
    "breaks is opened again, and events in between are not missed.",
  needs: "server",
  fields: Object.keys(membersOfEvents()),
  examples: [
    "reeve events tail --team acme --type 'team-*'",
    "reeve events tail --team acme --since 0 --json sequence,type",
  ],
  options: [
    teamOption(),
    new Option("--type <names>", "only types with these names or globs, separated by commas"),
    new Option("--since <sequence>", "begin after the event with this sequence; 0: with the oldest"),
  ],
  async run({ open, options, output }) {
    const fields = options.json === undefined ? null : chooseFields(options.json, membersOfEvents());
    const remote = await open(options.team);
    let query: Item = {
      ...(options.type === undefined ? {} : { types: options.type }),
      ...(options.since === undefined ? {} : { after: options.since }),
    };
    let isConnected = true;
    while (!output.closed.aborted) {
      try {
        for await (const { sequence, event } of readStream(remote, query, output.closed)) {
          isConnected = true;
          query = { ...query, after: sequence };
          if (event === null) continue;
          if (fields === null) output.line(lineOf(event));
          else output.result(pick(event, fields), "");
        }
      } catch (error) {
        if (output.closed.aborted) return;
        if (isLasting(error)) throw explainRemote(error, remote);
        if (isConnected) output.note(`${(explainRemote(error, remote) as Error).message}; trying again ...`);
        isConnected = false;
      }
      await setTimeout(AGAIN_MS, undefined, { signal: output.closed }).catch(() => undefined);
    }
  },
};
