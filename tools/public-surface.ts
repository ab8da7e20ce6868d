// What users call by name, as data: tools/keep-release.ts keeps that of a release, and test/changelog.test.ts compares it with the present.
import type { Command } from "commander";
import type { TSchema } from "typebox";
import { buildCommand } from "../src/cli/command.ts";
import { ALL_ENTRIES } from "../src/cli/entries.ts";
import { CONTRACTS } from "../src/contracts.ts";
import { PUBLIC_TYPES } from "../src/events/events/published-types.ts";
import { EVENT_TYPES } from "../src/events/events/types.ts";
import type { Endpoint } from "../src/platform/kernel/contract.ts";
import { ERROR_STATUS } from "../src/platform/kernel/errors.ts";
import { templatePath } from "../src/platform/operations/endpoint-details.ts";
import { GATE_SETTINGS } from "../src/serve/config/gate-settings.ts";
import { REMOTE_SETTINGS } from "../src/serve/config/remote-settings.ts";
import { SETTINGS } from "../src/serve/config/settings.ts";

/** The names of each kind, sorted. A member follows its operation, and a flag its command. */
export interface PublicSurface {
  readonly operations: readonly string[];
  readonly members: readonly string[];
  readonly settings: readonly string[];
  readonly commands: readonly string[];
  readonly flags: readonly string[];
  readonly errors: readonly string[];
  readonly events: readonly string[];
}

/** The members of an object, or of any of the schemas that it may match. */
function membersOf(schema: TSchema | undefined): readonly string[] {
  const {
    properties = {},
    anyOf = [],
    allOf = [],
  } = (schema ?? {}) as {
    readonly properties?: object;
    readonly anyOf?: readonly TSchema[];
    readonly allOf?: readonly TSchema[];
  };
  return [...Object.keys(properties), ...[...anyOf, ...allOf].flatMap(membersOf)];
}

function commandsBelow(command: Command, path: string): readonly (readonly [path: string, flags: readonly string[]])[] {
  const flags = command.options.map(({ long, short }) => long ?? String(short));
  return [[path, flags], ...command.commands.flatMap((below) => commandsBelow(below, `${path} ${below.name()}`))];
}

const sorted = (names: readonly string[]): readonly string[] => [...new Set(names)].toSorted();

export async function readPublicSurface(): Promise<PublicSurface> {
  const endpoints = CONTRACTS.flatMap((contract) => Object.values<Endpoint>(contract));
  const unused = { invocation: { command: "reeve", flags: {} }, end() {}, complain() {} };
  const commands = await Promise.all(
    ALL_ENTRIES.map(async ({ name, load }) => commandsBelow(buildCommand(await load(), unused), `reeve ${name}`)),
  );
  return {
    operations: sorted(
      endpoints.flatMap(({ method, path, aliases = [] }) =>
        [path, ...aliases].map((one) => `${method} ${templatePath(one)}`),
      ),
    ),
    members: sorted(
      endpoints.flatMap(({ method, path, query, body }) =>
        [...membersOf(query), ...membersOf(body)].map((name) => `${method} ${templatePath(path)} ${name}`),
      ),
    ),
    settings: sorted(
      [SETTINGS, GATE_SETTINGS, REMOTE_SETTINGS].flatMap((settings) =>
        Object.values<{ readonly env: string; readonly fileEnv?: string }>(settings).flatMap(({ env, fileEnv }) =>
          fileEnv === undefined ? [env] : [env, fileEnv],
        ),
      ),
    ),
    commands: sorted(commands.flat().map(([path]) => path)),
    flags: sorted(commands.flat().flatMap(([path, flags]) => flags.map((flag) => `${path} ${flag}`))),
    errors: sorted(Object.keys(ERROR_STATUS)),
    events: sorted([...Object.keys(EVENT_TYPES), ...PUBLIC_TYPES.map(([name]) => name)]),
  };
}
