// Builds the command of an operation: arguments and flags from its contract, the rest from its row.
import { Option } from "commander";
import { OPERATIONS } from "../../client/operations.ts";
import type { OperationId } from "../../client/types.ts";
import { CONTRACTS } from "../../contracts.ts";
import { lowerFirst } from "../../platform/kernel/text/lower-first.ts";
import { isMutation } from "../../platform/kernel/contract.ts";
import type { Endpoint } from "../../platform/kernel/contract.ts";
import { isLocal } from "../command.ts";
import type { CommandRun, CommandSpec } from "../command.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import { confirm } from "../confirm.ts";
import { readAllPages } from "../pages.ts";
import { explainNamed, announceNewProject, requireProject } from "../bodies/remote/place-failure.ts";
import { teamOption } from "../place-options.ts";
import type { RemoteClient } from "../bodies/remote/open-client.ts";
import { anyCalls, nameByFlag, namedIn, needsTeam, positionalsOf, readCall } from "./call-input.ts";
import type { CallInput, Values } from "./call-input.ts";
import { fieldsOf, membersOf, optionName, optionsOf } from "./fields.ts";
import { printList } from "./list.ts";
import { isOwned } from "./owned-operations.ts";
import { chooseFields, detailsOf, pick } from "./print.ts";
import type { Item } from "./print.ts";
import type { OperationRow } from "./row.ts";
import { currentProcess } from "../../platform/kernel/settings/current-process.ts";

const ENDPOINTS: Readonly<Record<string, Endpoint>> = Object.assign({}, ...CONTRACTS);

export const endpointOf = (operation: OperationId): Endpoint => ENDPOINTS[operation] as Endpoint;

interface Schema {
  readonly items?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** The member of the response with the items of a list; null: the response is one object. */
export function itemsMember({ operation, list }: OperationRow): string | null {
  const { items }: { readonly method: string; readonly items?: string } = OPERATIONS[operation];
  return list ?? items ?? null;
}

function leaveOut<T>(members: Readonly<Record<string, T>>, name = ""): Readonly<Record<string, T>> {
  const { [name]: _left, ...others } = members;
  return others;
}

/** The fields that `--json` can choose from. */
export function shownMembers(row: OperationRow): ReturnType<typeof membersOf> {
  const { properties = {}, items } = endpointOf(row.operation).response as Schema;
  const member = itemsMember(row);
  if (member !== null) return membersOf(member === "" ? items : properties[member]?.items);
  const all = membersOf(endpointOf(row.operation).response);
  if (row.shown === undefined) return leaveOut(all, row.without);
  const { [row.shown]: _shown, ...beside } = all;
  return { ...membersOf(properties[row.shown]), ...beside };
}

/** The object of a response: the shown one, with what stands beside it. */
function objectOf({ shown, without }: OperationRow, response: unknown): Item {
  const item = leaveOut((response ?? {}) as Item, without);
  if (shown === undefined) return item;
  const { [shown]: own, ...beside } = item;
  return { ...(own as Item), ...beside };
}

function fill(text: string, { params, body }: CallInput, options: Values): string {
  const values: Values = { teamId: options["team"], ...(body as Values | undefined), ...params };
  return text.replace(/\{(\w+)\}/g, (_match, name: string) => (values[name] ?? name) as string);
}

type Options = Values & { readonly team?: string; readonly json?: string };

function printRaw({ output }: CommandRun<Options>, item: Item, member: string): void {
  const value = item[member];
  if (typeof value !== "string") {
    const reason =
      item["decryptable"] === false
        ? "it is not decryptable; create another with --decryptable"
        : "this credential may not: expected one with secret:reveal";
    throw new Failure(
      item["decryptable"] === false ? "refused" : "denied",
      `the ${member} is not shown: ${reason}`,
      "value_hidden",
    );
  }
  output.raw(item["encoding"] === "base64" ? Buffer.from(value, "base64") : value);
}

function printObject(row: OperationRow, run: CommandRun<Options>, input: CallInput, response: unknown): void {
  const { options, output } = run;
  const item = objectOf(row, response);
  const members = shownMembers(row);
  const allows = options["dryRun"] === true ? item["allows"] : undefined;
  // Of a credential that is not made, the words say all.
  if (typeof allows === "string") return output.result(response, allows);
  if (options.json !== undefined) {
    output.result(pick(item, chooseFields(options.json, members)), "");
  } else if (row.raw !== undefined) {
    printRaw(run, item, row.raw);
  } else if (row.once !== undefined && item[row.once] !== undefined) {
    output.note("The value is not shown again:");
    output.result(null, String(item[row.once]));
  } else {
    const isTerminal = currentProcess().stdout.isTTY === true;
    output.line(
      row.done === undefined || options["dryRun"] === true
        ? detailsOf(item, members, isTerminal)
        : fill(row.done, input, options),
    );
  }
  if (options["dryRun"] === true && row.confirm !== undefined && options.json === undefined) {
    output.note("This was a dry run: nothing was changed.");
  }
  const note = row.note?.(item) ?? null;
  if (note !== null) output.note(note);
}

/** Says what would be sent, after looking whether it is there. */
async function dryRun(
  row: OperationRow,
  run: CommandRun<Options>,
  remote: RemoteClient,
  input: CallInput,
): Promise<void> {
  const { method, path } = OPERATIONS[row.operation];
  const filled = path.replace(/:(\w+)/g, (_match, name: string) => encodeURIComponent(String(input.params[name])));
  const sent = new URLSearchParams(input.query as Readonly<Record<string, string>>);
  const request = `${method} ${remote.server}${filled}${sent.size > 0 ? `?${sent.toString()}` : ""}`;
  const { preview } = row;
  const query = Object.fromEntries(Object.entries(input.query).filter(([name]) => OWNER.includes(name)));
  const calls = anyCalls(remote.client);
  const found = preview && (await calls.call(preview, { params: input.params, query }));
  if (run.options.json !== undefined) {
    run.output.result({ request, ...(found === undefined ? {} : { object: found }) }, "");
    return;
  }
  const members = preview === undefined ? {} : membersOf(endpointOf(preview).response);
  const details =
    found === undefined ? [] : [detailsOf(found as Item, members, currentProcess().stdout.isTTY === true)];
  run.output.line([`Would send ${request}`, ...details].join("\n"));
}

/** Whether the server itself checks a call and says what it would do. */
function isCheckedByServer({ query }: Endpoint): boolean {
  return query?.properties !== undefined && Object.hasOwn(query.properties, "dryRun");
}

/** Members of a query that say what a path is about. */
const OWNER = ["projectId", "teamId", "slug"];

/** Says that a change begins its project, and refuses a read of one that is not there. */
async function lookForProject(
  { operation }: OperationRow,
  { options, output }: CommandRun<Options>,
  remote: RemoteClient,
  { params }: CallInput,
): Promise<void> {
  const endpoint = endpointOf(operation);
  const isChange = isMutation(endpoint) && endpoint.method !== "DELETE";
  const isPlace = fieldsOf(endpoint).some((field) => field.isPlace);
  const { idOrName } = params;
  // One in the path of another read is looked for by the API itself.
  const project = isPlace ? options["project"] : isChange ? params["project"] : idOrName;
  if (typeof project !== "string") return;
  const place = { team: options.team ?? null, project };
  if (!isChange) return await requireProject(remote, place, idOrName === undefined ? undefined : "<id-or-name>");
  await announceNewProject(remote, place, output.note);
}

/** The call on the database of this machine, for one of its users. */
async function runLocally(row: OperationRow, run: CommandRun<Options>, input: CallInput): Promise<void> {
  const { callStore, options } = run;
  const user = options["user"];
  if (typeof user !== "string") throw new Failure("usage", "--user: expected a value, with --local");
  const { teamId, slug, ...query } = input.query as Values & { readonly teamId?: string; readonly slug?: string };
  const params = input.params as Readonly<Record<string, string>>;
  const call = async (page: object = {}) =>
    await callStore({
      ...input,
      operation: row.operation,
      user,
      team: teamId ?? slug,
      params,
      query: { ...query, ...page },
    });
  const member = itemsMember(row);
  const response = member === null ? await call() : { [member]: await readAllPages(member, call) };
  if (member === null) return printObject(row, run, input, response);
  const calls = {
    call: () => Promise.resolve(response),
    async *pages() {
      yield response;
    },
  };
  await printList(row, run, { calls, input, member, members: shownMembers(row) });
}

async function runRow(row: OperationRow, run: CommandRun<Options>): Promise<void> {
  const { open, options, args, output } = run;
  const endpoint = endpointOf(row.operation);
  // What is wrong with the command line is said before a server is asked.
  const isDry = options["dryRun"] === true;
  if (options.json !== undefined && !isDry) chooseFields(options.json, shownMembers(row));
  const input = await readCall(row, endpoint, fieldsOf(endpoint), { args, options });
  if (row.alsoLocal && isLocal({ local: options["local"], user: options["user"] }, run.flags)) {
    return await runLocally(row, run, input);
  }
  const remote = await open();
  await lookForProject(row, run, remote, input);
  try {
    if (isDry && !isCheckedByServer(endpoint)) return await dryRun(row, run, remote, input);
    if (row.confirm !== undefined && !isDry) await confirm(fill(row.confirm, input, options), options["yes"] === true);
    const member = itemsMember(row);
    if (member !== null)
      return await printList(row, run, { calls: anyCalls(remote.client), input, member, members: shownMembers(row) });
    const response = await anyCalls(remote.client).call(row.operation, input);
    printObject(row, run, input, response);
  } catch (error) {
    if (output.closed.aborted) return;
    const named = nameByFlag(error, row, endpoint, { args, options });
    const findNamed = namedIn(row, endpoint, { args, options });
    const place = { team: options.team ?? null, project: findNamed("project")?.value ?? "" };
    throw await explainNamed(named, remote, place, findNamed);
  }
}

/** Whether the team of the folder counts. */
function hasPlace(row: OperationRow, endpoint: Endpoint): boolean {
  return isOwned(row.operation, endpoint) || needsTeam(row, endpoint);
}

/** The command of a row under its verb. */
export function operationCommand(verb: string, row: OperationRow): CommandSpec<Options> {
  const endpoint = endpointOf(row.operation);
  const positionals = positionalsOf(row, endpoint);
  const taken = new Set(positionals.filter(({ place }) => place === "body").map(({ member }) => member));
  const set = { ...row.fixed?.query, ...row.fixed?.body };
  const fields = fieldsOf(endpoint).filter(
    ({ name, place }) => !(place === "body" && taken.has(name)) && !Object.hasOwn(set, name),
  );
  const isPaged = "items" in OPERATIONS[row.operation];
  const summary = row.summary ?? lowerFirst(endpoint.summary);
  return {
    name: verb,
    summary,
    description: [summary.charAt(0).toUpperCase() + summary.slice(1), endpoint.description ?? ""]
      .join(". ")
      .replace(/\. $/, "."),
    needs: row.alsoLocal ? "either" : "server",
    ...(OPERATIONS[row.operation].method === "GET" ? {} : { changes: true as const }),
    fields: Object.keys(shownMembers(row)),
    examples: row.examples,
    arguments: positionals.map(({ member, as, place }) => ({
      name: row.byDefault?.[member] === undefined ? `<${as}>` : `[${as}]`,
      help: as.replaceAll("-", " "),
      isInPath: place === "path",
    })),
    options: [
      ...(positionals.some(({ member }) => member === "teamId")
        ? []
        : [
            hasPlace(row, endpoint)
              ? teamOption()
              : new Option("--team <team>", "id or slug of the team; without it, what the credential itself owns"),
          ]),
      ...(row.alsoLocal
        ? [new Option("--user <username>", "with --local: whose it is, by username, e-mail address or id")]
        : []),
      ...fields.flatMap(optionsOf),
      ...Object.entries(row.presets ?? {}).map(([flag, { help, query }]) => {
        const same = fields.filter(({ name, place }) => place === "query" && Object.hasOwn(query, name));
        return new Option(`--${flag}`, help).conflicts(same.map((field) => optionName(field.flag)));
      }),
      ...(endpoint.body === undefined
        ? []
        : [new Option("--input <file>", "the body as JSON, under what the flags say; - reads the standard input")]),
      ...(isPaged
        ? [
            new Option("--limit <count>", "how many at most; 100 by default"),
            new Option("--all", "all of them").conflicts("limit"),
          ]
        : []),
      ...(row.confirm === undefined
        ? []
        : [
            ...(isCheckedByServer(endpoint) ? [] : [new Option("--dry-run", "say what would be done, and do nothing")]),
            new Option("--yes", "do not ask"),
          ]),
    ],
    run: async (run) => await runRow(row, run),
  };
}
