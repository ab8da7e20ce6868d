// `reeve events export`: the events as a file, while they are read.
import { once } from "node:events";
import { Option } from "commander";
import type { CommandSpec } from "../command.ts";
import { explainRemote } from "../bodies/remote/remote-failure.ts";
import { teamOption } from "../place-options.ts";
import { currentProcess } from "../../platform/kernel/settings/current-process.ts";
import { nameByFlag, readCall } from "./call-input.ts";
import type { Values } from "./call-input.ts";
import { fieldsOf, optionName, optionsOf } from "./fields.ts";
import { endpointOf } from "./operation-command.ts";

type ExportOptions = Values & {
  readonly team?: string;
  readonly format: "ndjson" | "csv";
  readonly chain?: true;
  readonly limit?: string;
};

const FORMS = {
  ndjson: { accept: "application/x-ndjson", lineEnd: "\n" },
  csv: { accept: "text/csv", lineEnd: "\r\n" },
} as const;
const ROW = { operation: "exportEvents", examples: [] } as const;
const ENDPOINT = endpointOf("exportEvents");
const FIELDS = fieldsOf(ENDPOINT);

export const eventsExportCommand: CommandSpec<ExportOptions> = {
  name: "export",
  summary: "print events as lines of JSON or as CSV, oldest first",
  description:
    "Print all events that match, oldest first, up to the newest one when the export begins. With --chain each line is what " +
    "`reeve events verify --export` reads.",
  needs: "server",
  examples: [
    "reeve events export --team acme --since 30d > acme.ndjson",
    "reeve events export --team acme --format csv --types 'secret-*' > secrets.csv",
    "reeve events export --team acme --chain > chain.ndjson",
  ],
  options: [
    teamOption(),
    new Option("--format <format>", "ndjson or csv").choices(Object.keys(FORMS)).default("ndjson"),
    new Option("--chain", "lines that can be verified, of all events").conflicts([
      "format",
      ...FIELDS.map(({ flag }) => optionName(flag)),
    ]),
    ...FIELDS.flatMap(optionsOf),
    new Option("--limit <count>", "how many at most; all by default"),
  ],
  async run({ open, options, output }) {
    const given = { args: [], options };
    const { query } = await readCall(ROW, ENDPOINT, FIELDS, given);
    const { accept, lineEnd } = FORMS[options.format];
    const { stdout } = currentProcess();
    const write = stdout.isTTY ? output.line : (line: string) => output.raw(line + lineEnd);
    const remote = await open(options.team);
    const chosen = {
      ...(options.limit !== undefined && { limit: options.limit as never }),
      ...(options.chain && { form: "chain" as const }),
    };
    try {
      const lines = remote.client.lines(
        "exportEvents",
        { query: { ...query, ...chosen } },
        { accept, signal: output.closed },
      );
      for await (const line of lines) {
        write(line);
        if (stdout.writableNeedDrain) await once(stdout, "drain", { signal: output.closed });
      }
    } catch (error) {
      if (!output.closed.aborted) throw explainRemote(nameByFlag(error, ROW, ENDPOINT, given), remote);
    }
  },
};
