// `reeve events tail`: events when they happen. A connection that ends is opened again, without missing one.
import { Option } from "commander";
import type { ReeveError } from "../../client/error.ts";
import { toPrintable } from "../../platform/kernel/text/printable-text.ts";
import type { CommandSpec } from "../command.ts";
import { formatTime } from "../output.ts";
import { teamOption } from "../place-options.ts";
import { explainRemote } from "../bodies/remote/remote-failure.ts";
import { membersOf } from "./fields.ts";
import { endpointOf } from "./operation-command.ts";
import { chooseFields, pick } from "./print.ts";
import type { Item } from "./print.ts";

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
    const query = {
      ...(options.type === undefined ? {} : { types: options.type }),
      // What is no number the server refuses, with what it expects.
      ...(options.since === undefined ? {} : { after: options.since as never }),
    };
    const onBreak = (error: ReeveError): void =>
      output.note(`${(explainRemote(error, remote) as Error).message}; trying again ...`);
    try {
      for await (const event of remote.client.tail({ query }, { signal: output.closed, onBreak })) {
        const item = event as unknown as Item;
        if (fields === null) output.line(lineOf(item));
        else output.result(pick(item, fields), "");
      }
    } catch (error) {
      if (!output.closed.aborted) throw explainRemote(error, remote);
    }
  },
};
