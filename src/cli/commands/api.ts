// `reeve api`: any request to the API, with the credential of the context.
import { Option } from "commander";
import { teamQuery } from "../../client/client.ts";
import { errorOf } from "../../client/error.ts";
import { nextQuery } from "../../client/links.ts";
import { addQuery } from "../../client/parameters.ts";
import type { CommandSpec } from "../command.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import { parseInput, readJson, readText } from "../bodies/input.ts";
import { givenBy } from "../bodies/remote/place-names.ts";
import { linkedPlace, teamOption } from "../place-options.ts";
import { explainRemote } from "../bodies/remote/remote-failure.ts";
import { isOwnedAt } from "../resources/owned-operations.ts";
import { currentProcess } from "../../platform/kernel/settings/current-process.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

interface ApiOptions {
  readonly team?: string;
  readonly field?: readonly string[];
  readonly typedField?: readonly string[];
  readonly header?: readonly string[];
  readonly input?: string;
  readonly paginate?: true;
  readonly include?: true;
  readonly json?: true;
}

const isJson = ({ headers }: Response): boolean =>
  /^application\/(?:[\w.-]+\+)?json\b/.test(headers.get("content-type") ?? "");

const repeat = (text: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), text];

function split(flag: string, text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1)];
  throw new Failure("usage", `${flag}: expected name${mark}value, got "${text}"`);
}

const TRUE_FALSE_NULL_OR_NUMBER = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?)$/;

/** The value of `-F`: what JSON calls a value, or the content of a file after `@`. */
async function readTyped(name: string, text: string): Promise<unknown> {
  if (text.startsWith("@")) return await readText(`-F ${name}`, text.slice(1));
  if (!TRUE_FALSE_NULL_OR_NUMBER.test(text) && !/^[[{]/.test(text)) return text;
  return parseInput(`-F ${name}`, text, false);
}

/** Throws a Failure that names what is given twice: only one of them would be sent. */
function requireOnce(flag: string, names: readonly string[], advice = ""): void {
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new Failure("usage", `${flag} ${twice}: expected once${advice}`);
}

async function readFields({ field = [], typedField = [] }: ApiOptions): Promise<Readonly<Record<string, unknown>>> {
  const plain = field.map((text) => split("-f", text, "="));
  const names = [...plain, ...typedField.map((text) => split("-F", text, "="))].map(([name]) => name);
  const advice = '; a list is one value of -F, such as -F \'names=["A","B"]\'';
  requireOnce(typedField.length > 0 ? "-F" : "-f", names, advice);
  const typed = await Promise.all(
    typedField.map(async (text) => {
      const [name, value] = split("-F", text, "=");
      return [name, await readTyped(name, value)] as const;
    }),
  );
  return Object.fromEntries([...plain, ...typed]);
}

interface Asked {
  readonly method: string;
  readonly url: URL;
  /** Whether fields are members of the query. */
  readonly isInQuery: boolean;
}

function askedBy([given = "", path = ""]: readonly string[], { input }: ApiOptions): Asked {
  const method = given.toUpperCase();
  const url = new URL(`http://localhost/${path.replace(/^\/+/, "")}`);
  return { method, url, isInQuery: ["GET", "HEAD", "DELETE"].includes(method) || input !== undefined };
}

/** Whether the path or a field names a team. */
function namesTeam({ url, isInQuery }: Asked, { field = [], typedField = [] }: ApiOptions): boolean {
  const fields = isInQuery ? [...field, ...typedField].map((text) => text.split("=")[0]?.trim()) : [];
  return ["teamId", "slug"].some((name) => url.searchParams.has(name) || fields.includes(name));
}

/** Throws a Failure for a query that none can be: the line is wrong. */
function requireQuery(url: URL, query: Readonly<Record<string, unknown>>): void {
  try {
    addQuery(url, query);
  } catch (error) {
    throw new Failure("usage", (error as Error).message);
  }
}

/** Headers of credentials. */
const OF_CREDENTIALS = ["authorization", "x-api-key"];

function readHeader(text: string): readonly [name: string, value: string] {
  const [name, given] = split("-H", text, ":");
  if (OF_CREDENTIALS.includes(name.toLowerCase())) {
    const advice = "the credential is that of REEVE_TOKEN, or of a context (`reeve login`, --context)";
    throw new Failure("usage", `-H ${name}: expected no header of a credential: ${advice}`);
  }
  let value: string | null = null;
  try {
    value = new Headers([[name, given]]).get(name);
  } catch {
    // No header is written so.
  }
  if (value) return [name, value];
  throw new Failure("usage", `-H: expected name:value of a header, got ${JSON.stringify(text)}`);
}

export const apiCommand: CommandSpec<ApiOptions> = {
  name: "api",
  summary: "send any request to the API",
  description:
    "Send any request to the API and print what it responds. Fields are members of the query for GET and DELETE, and of the body " +
    "otherwise. The team of --team, REEVE_TEAM or `reeve link` is sent with what a team can own, unless the path or a field names " +
    "one. /docs/endpoints of the server lists them.",
  needs: "server",
  examples: [
    "reeve api GET /v2/teams",
    "reeve api GET /v2/secrets --team acme --paginate",
    "reeve api POST /v1/teams -f slug=acme -f name=Acme",
    "reeve api PUT '/v1/firewalls?slug=acme' --input firewall.json",
  ],
  arguments: [
    { name: "<method>", help: METHODS.join(", ") },
    { name: "<path>", help: "path with its version, such as /v2/teams" },
  ],
  options: [
    teamOption("id or slug of the team, as `teamId` or `slug` of the query"),
    new Option("-f, --field <name=value>", "a member as text; may be given again").argParser(repeat),
    new Option(
      "-F, --typed-field <name=value>",
      "a member as true, false, null, a number or JSON; @file reads a file",
    ).argParser(repeat),
    new Option("-H, --header <name:value>", "a header; may be given again").argParser(repeat),
    new Option("--input <file>", "the body as JSON; - reads the standard input"),
    new Option("--paginate", "every page of a list, one to a line"),
    new Option("-i, --include", "print the status and the headers too"),
  ],
  complete(words) {
    const sendsBody = words.some((word) => /^(?:-[fF]|--(?:field|typed-field|input)\b)/.test(word));
    return words[0]?.startsWith("/") ? [sendsBody ? "POST" : "GET", ...words] : null;
  },
  takesNoPlace(options, args) {
    const asked = askedBy(args, options);
    return namesTeam(asked, options) || !isOwnedAt(asked.method, asked.url.pathname);
  },
  async run({ open, options, args, output }) {
    const [, path = ""] = args;
    const asked = askedBy(args, options);
    const { method, isInQuery } = asked;
    if (!METHODS.includes(method))
      throw new Failure("usage", `<method>: expected ${METHODS.join(", ")}, got ${args[0]}`);
    if (!path.startsWith("/")) throw new Failure("usage", `<path>: expected one that begins with a slash, got ${path}`);
    if (path.includes("#"))
      throw new Failure("usage", `<path>: expected no #, which no request has (%23 stands for it)`);
    if (options.paginate && method !== "GET") throw new Failure("usage", "--paginate: expected it with GET alone");
    if (options.team !== undefined && namesTeam(asked, options)) {
      throw new Failure("usage", `${givenBy("team")}: the path or a field names a team too: expected one of the two`);
    }
    const fields = await readFields(options);
    const hasBody = options.input !== undefined || (!isInQuery && Object.keys(fields).length > 0);
    const body = options.input === undefined ? fields : await readJson("--input", options.input);
    const given = (options.header ?? []).map(readHeader);
    requireOnce(
      "-H",
      given.map(([name]) => name.toLowerCase()),
    );
    const headers = Object.fromEntries(given);
    const team = options.team === undefined ? {} : teamQuery(options.team);
    let query: Readonly<Record<string, unknown>> | null = { ...team, ...(isInQuery ? fields : {}) };
    requireQuery(asked.url, query);
    const linked = currentProcess().stderr.isTTY && method !== "GET" && method !== "HEAD" ? linkedPlace(options) : null;
    if (linked !== null) output.note(linked);
    const remote = await open();
    // The links of a page have the query of the path too.
    let [target] = [path];
    try {
      while (query !== null && !output.closed.aborted) {
        const response = await remote.client.request(method, target, {
          query,
          headers,
          ...(hasBody ? { body } : {}),
          signal: output.closed,
        });
        if (options.include) {
          output.line(`${response.status}`);
          for (const [name, value] of response.headers) output.line(`${name}: ${value}`);
          output.line("");
        }
        const text = await response.clone().text();
        if (options.json && response.ok && isJson(response)) output.result(JSON.parse(text), "");
        else if (text !== "") output.line(text.replace(/\n$/, ""));
        if (!response.ok) throw await errorOf(response);
        [target = path] = path.split("?");
        query = options.paginate ? nextQuery(response.headers.get("link"), query) : null;
      }
    } catch (error) {
      // The client refuses what the line asks for before it sends anything.
      if (error instanceof TypeError) throw new Failure("usage", error.message);
      if (!output.closed.aborted) throw explainRemote(error, remote);
    }
  },
};
