// The tables of docs/cli.md, from the command line's own data.
import { EXIT_CODES } from "../src/platform/outcomes/failure.ts";
import { loadResource } from "../src/cli/resources/load-resource.ts";
import { RESOURCES } from "../src/cli/resources/resources.ts";
import type { AnyCommand } from "../src/cli/command.ts";
import { markdownTable } from "./markdown.ts";

function pathsOf(command: AnyCommand, before: string): readonly (readonly [string, AnyCommand])[] {
  const path = `${before} ${command.name}`;
  const below = (command.commands ?? []).flatMap((one) => pathsOf(one, path));
  return "run" in command ? [[path, command], ...below] : below;
}

/** Every command of the resources, with its arguments and the call that it makes. */
export async function commandTable(): Promise<string> {
  const rows: string[][] = [];
  for (const resource of RESOURCES) {
    for (const [path, command] of pathsOf(await loadResource(resource), "reeve")) {
      const row = resource.commands[path.split(" ").slice(2).join(" ")];
      const words = "arguments" in command ? (command.arguments ?? []).map(({ name }) => name) : [];
      const works =
        row === undefined || ("load" in row && row.operations.length === 0)
          ? "this machine"
          : "local" in row || "alsoLocal" in row
            ? "a server, or --local"
            : "a server";
      rows.push([`\`${[path, ...words].join(" ")}\``, command.summary, works]);
    }
  }
  return markdownTable(["command", "what it does", "works on"], rows);
}

export function exitCodeTable(): string {
  return markdownTable(
    ["code", "meaning"],
    Object.values(EXIT_CODES).map(({ code, meaning }) => [`\`${code}\``, meaning]),
  );
}
