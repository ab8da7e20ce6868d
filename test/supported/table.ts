// Renders SUPPORTED.md: each claim with the test that proved it; and finds the untrue claims.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { ENFORCED_BY } from "../../src/firewall/evaluator/config.ts";
import { markdownTable } from "../../tools/markdown.ts";
import { RELEASES } from "../clients/sdk/releases.ts";
import { RELEASE as SECRETS_RELEASE } from "../clients/sdk-2024/client.ts";
import type { Evidence } from "../harness/evidence.ts";
import {
  ABSENT_CALLS,
  CLIENT_CALLS,
  ENFORCEMENT,
  SDK_FUNCTIONS,
  SDK_GROUPS,
  SDK_REASONS,
  SECRET_FUNCTIONS,
  SPECIFICATION,
} from "./claims.ts";
import { COMMANDS, COMMAND_REASONS } from "./command-claims.ts";

const ROOT = join(import.meta.dirname, "../..");
export const SUPPORTED_FILE = join(ROOT, "SUPPORTED.md");
const CLIENTS = join(ROOT, "test/clients");

export interface Supported {
  readonly markdown: string;
  /** Claims that nothing proves, and reasons that something disproves. */
  readonly untrue: readonly string[];
}

/** What can be looked up in what a run has seen. */
function index(evidence: readonly Evidence[]) {
  const byClaim = Map.groupBy(evidence, ({ claim }) => claim);
  return (claim: string) => byClaim.get(claim) ?? [];
}

type Find = ReturnType<typeof index>;

function renderSpecification(find: Find, untrue: string[]): string {
  const rows = SPECIFICATION.map(({ endpoint, file, test }) => {
    const isProved = find(`call ${endpoint}`).some((one) => one.test === test);
    if (!isProved) untrue.push(`${endpoint} does not succeed in ${file}: ${test}`);
    return [`\`${endpoint}\``, `${test} (\`${file}\`)`];
  });
  return markdownTable(["endpoint", "test"], rows);
}

const WALK = "test/operations/responses.test.ts";
const WALKED = "returns and emits what its contract declares";

function renderClientCalls(find: Find, untrue: string[]): string {
  const rows = CLIENT_CALLS.map((call) => {
    const proof = find(`call ${call}`).find(({ test }) => test.endsWith(`: ${call} ${WALKED}`));
    if (!proof) untrue.push(`${call} does not succeed in ${WALK}`);
    return [`\`${call}\``, proof?.test ?? ""];
  });
  const absent = Object.entries(ABSENT_CALLS).map(([call, reason]) => {
    if (find(`call ${call}`).length > 0) untrue.push(`${call} succeeds, although ${reason}`);
    return [`\`${call}\``, `not there: ${reason}`];
  });
  return markdownTable(["call", `test of \`${WALK}\``], [...rows, ...absent]);
}

/** The functions that a release has, as `group.name`. */
function functionsOf(packageName: string): Set<string> {
  const { Vercel } = createRequire(join(CLIENTS, "package.json"))(packageName) as {
    Vercel: new (options: object) => Readonly<Record<string, object | undefined>>;
  };
  const sdk = new Vercel({ bearerToken: "none" });
  const groups = new Set([...SDK_GROUPS, ...SDK_FUNCTIONS.map((name) => name.split(".")[0] as string)]);
  const isClaimed = (group: string, name: string) =>
    (SDK_GROUPS as readonly string[]).includes(group) || SDK_FUNCTIONS.includes(`${group}.${name}`);
  return new Set(
    [...groups].flatMap((group) =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(sdk[group] ?? {}))
        .filter((name) => name !== "constructor" && isClaimed(group, name))
        .map((name) => `${group}.${name}`),
    ),
  );
}

/** The one test that shows a function in most releases, and which these are. */
function bestTest(find: Find, name: string): { readonly test: string; readonly releases: ReadonlySet<string> } {
  const releasesByTest = new Map<string, Set<string>>();
  for (const { version } of RELEASES) {
    for (const { test } of find(`sdk ${version} ${name}`)) {
      const title = test.split(" > ").slice(1).join(" > ");
      releasesByTest.set(title, (releasesByTest.get(title) ?? new Set()).add(version));
    }
  }
  const [, shortName = ""] = name.split(".");
  const [best] = [...releasesByTest].toSorted(
    ([one, of], [other, than]) =>
      than.size - of.size ||
      Number(other.includes(shortName)) - Number(one.includes(shortName)) ||
      one.localeCompare(other),
  );
  return { test: best?.[0] ?? "", releases: best?.[1] ?? new Set() };
}

function renderSdk(find: Find, untrue: string[]): string {
  const has = RELEASES.map(({ packageName, version }) => ({ version, functions: functionsOf(packageName) }));
  const names = [...new Set(has.flatMap(({ functions }) => [...functions]))].toSorted();
  const notes: string[] = [];
  const noteOf = (reason: string) => {
    if (!notes.includes(reason)) notes.push(reason);
    return `(${notes.indexOf(reason) + 1})`;
  };
  const rows = names.map((name) => {
    const { test, releases } = bestTest(find, name);
    const cells = has.map(({ version, functions }) => {
      if (!functions.has(name)) return "-";
      const reason = SDK_REASONS[`${name} ${version}`] ?? SDK_REASONS[name];
      if (reason === undefined) {
        if (!releases.has(version)) untrue.push(`${name} of ${version} succeeds in no test that others succeed in`);
        return "yes";
      }
      if (releases.has(version)) untrue.push(`${name} of ${version} succeeds, although ${reason}`);
      return noteOf(reason);
    });
    return [`\`${name}\``, ...cells, test];
  });
  const header = ["function", ...has.map(({ version }) => version), "test of `test/clients/sdk/`"];
  const list = notes.map((note, at) => `${at + 1}. ${note[0]?.toUpperCase()}${note.slice(1)}.`).join("\n");
  return `${markdownTable(header, rows)}\n\n${list}`;
}

function renderSecretFunctions(find: Find, untrue: string[]): string {
  const rows = SECRET_FUNCTIONS.map((name) => {
    const [proof] = find(`sdk ${SECRETS_RELEASE} secrets.${name}`);
    if (!proof) untrue.push(`secrets.${name} of ${SECRETS_RELEASE} succeeds in no test`);
    return [`\`secrets.${name}\``, proof?.test ?? ""];
  });
  return markdownTable(["function", "test of `test/clients/sdk-2024/`"], rows);
}

function renderCommands(evidence: readonly Evidence[], untrue: string[]): string {
  const rows = Object.entries(COMMANDS).flatMap(([release, commands]) =>
    commands.map((command) => {
      const claim = `cli ${release} ${command}`;
      const isLonger = (other: string) =>
        commands.some((one) => one.startsWith(`${command} `) && `${other} `.startsWith(`cli ${release} ${one} `));
      const proof = evidence.find((one) => `${one.claim} `.startsWith(`${claim} `) && !isLonger(one.claim));
      const reason = COMMAND_REASONS[`${release} ${command}`];
      if (reason === undefined && !proof) untrue.push(`${command} of ${release} succeeds in no test`);
      if (reason !== undefined && proof) untrue.push(`${command} of ${release} succeeds, although it ${reason}`);
      return [`\`${command}\``, release, reason === undefined ? (proof?.test ?? "") : `no: ${reason}`];
    }),
  );
  return markdownTable(["command", "release", "test of `test/clients/cli/`"], rows);
}

function renderEnforcement(untrue: string[]): string {
  const { file, enforced, stored } = ENFORCEMENT;
  const source = readFileSync(join(ROOT, file), "utf8");
  for (const test of [enforced, stored]) if (!source.includes(`"${test}"`)) untrue.push(`${file} has no test: ${test}`);
  const categories = Object.entries(ENFORCED_BY.crs).map(([name, by]) => [`crs.${name}`, by] as const);
  const rows = [...Object.entries(ENFORCED_BY.managedRules), ...categories].map(([name, by]) =>
    by === null ? [`\`${name}\``, "nothing; the switch is stored", stored] : [`\`${name}\``, `\`${by}\``, enforced],
  );
  return markdownTable(["set or category", "enforced by", `test of \`${file}\``], rows);
}

/** The command whose tests show a section. */
export type Suite = "npm test" | "npm run proof";

interface Section {
  readonly heading: string;
  readonly shownBy: Suite;
  /** Markdown; adds to `untrue` what is claimed and not shown. */
  readonly render: (evidence: readonly Evidence[], untrue: string[]) => string;
}

const SECTIONS: readonly Section[] = [
  {
    heading: "The specification",
    shownBy: "npm test",
    render: (evidence, untrue) => renderSpecification(index(evidence), untrue),
  },
  {
    heading: "What clients call",
    shownBy: "npm test",
    render: (evidence, untrue) => `The paths that published clients send for these and what belongs to them.

${renderClientCalls(index(evidence), untrue)}`,
  },
  {
    heading: "The generated SDK",
    shownBy: "npm run proof",
    render: (evidence, untrue) => `Unmodified releases of \`@vercel/sdk\`. \`-\`: the release has no such function.

${renderSdk(index(evidence), untrue)}

The last release with functions for secrets, ${SECRETS_RELEASE} of 2024, is in no registry: a client in
\`test/clients/sdk-2024/\` sends its requests and reads the answers as strictly.

${renderSecretFunctions(index(evidence), untrue)}`,
  },
  {
    heading: "The command line client",
    shownBy: "npm run proof",
    render: (
      evidence,
      untrue,
    ) => `Unmodified releases of \`vercel\`. Releases 50 to 53 refuse an address that begins with \`http:\`; through a certificate on this
machine they work ([docs/clients.md](docs/clients.md)).

${renderCommands(evidence, untrue)}`,
  },
  {
    heading: "Managed rule sets of a firewall",
    shownBy: "npm test",
    render: (
      _,
      untrue,
    ) => `A configuration says the same in \`enforcedBy\` ([docs/firewall.md](docs/firewall.md#managed-rule-sets)), and for the categories of
\`crs\` the engine that a gate reports ([docs/modsecurity.md](docs/modsecurity.md)).

${renderEnforcement(untrue)}`,
  },
];

function renderSections(sections: readonly Section[], evidence: readonly Evidence[]) {
  const untrue: string[] = [];
  const texts = sections.map(({ heading, render }) => `## ${heading}\n\n${render(evidence, untrue)}\n`);
  return { texts, untrue };
}

/** SUPPORTED.md by what a run of the tests has seen. */
export function renderSupported(evidence: readonly Evidence[]): Supported {
  const { texts, untrue } = renderSections(SECTIONS, evidence);
  const markdown = `# What is supported

Written by \`npm run proof -- --supported\`, which runs the tests named here: each line is something that succeeded in that test.
\`npm test\` and \`npm run proof\` fail when one of them no longer does, or when what is said not to work does.

${texts.join("\n")}
## Terraform

The provider is not run by the tests: its address is fixed. What it sends and insists on is held by
\`src/firewall/configurations/terraform.test.ts\` and the tests of the calls above.
`;
  return { markdown, untrue };
}

/** What of SUPPORTED.md a whole run of the suite has not seen. */
export function findUntrueClaims(suite: Suite, evidence: readonly Evidence[]): readonly string[] {
  const sections = SECTIONS.filter(({ shownBy }) => shownBy === suite);
  const { texts, untrue } = renderSections(sections, evidence);
  if (untrue.length > 0) return untrue;
  const written = readFileSync(SUPPORTED_FILE, "utf8");
  return texts.every((text) => written.includes(text))
    ? []
    : ["SUPPORTED.md is not what the tests show: npm run proof -- --supported writes it"];
}
