// Commands in place of the calls of the API that a server's messages name.
import { OPERATIONS } from "../../client/operations.ts";
import type { OperationId } from "../../client/types.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import { shellWord } from "../../platform/kernel/text/shell-word.ts";
import { dashed } from "./call-input.ts";
import { RESOURCES, operationsOf } from "./resources.ts";

/** A call without a query, as messages name it. */
const CALL = /\b(GET|POST|PUT|PATCH|DELETE) (\/v\d[\w/{}-]*)(?![?\w/{}-])/g;

const isAt = (method: string, path: string, operation: OperationId): boolean =>
  OPERATIONS[operation].method === method && OPERATIONS[operation].path.replaceAll(/:(\w+)/g, "{$1}") === path;

/** The command of a call, with what `findNamed` knows of its path; undefined: it has none. */
function commandOf(method: string, path: string, findNamed: (what: string) => string | undefined): string | undefined {
  for (const { name, commands } of RESOURCES) {
    for (const [verb, row] of Object.entries(commands)) {
      if (!operationsOf(row).some((operation) => isAt(method, path, operation))) continue;
      // The team is a flag, which every command that is printed has already.
      const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, param = ""]) => dashed(param));
      const given = params
        .filter((param) => param !== "team-id")
        .map((param) => findNamed(param) ?? param.replaceAll("-", "_").toUpperCase());
      return [`reeve ${name} ${verb}`, ...given.map(shellWord)].join(" ");
    }
  }
  return undefined;
}

/** A failure whose message names calls that have commands, with those. `named` is what its line names. */
export function nameCommands(failure: Failure, named: Readonly<Record<string, unknown>>): Failure {
  const findNamed = (what: string): string | undefined => {
    const given = named[what] ?? (what === "environment" ? named["env"] : undefined);
    return typeof given === "string" ? given : undefined;
  };
  const { exit, code, details } = failure;
  const message = failure.message.replaceAll(CALL, (call, method: string, path: string) => {
    const command = commandOf(method, path, findNamed);
    return command === undefined ? call : `\`${command}\``;
  });
  return message === failure.message ? failure : new Failure(exit, message, code, details);
}
