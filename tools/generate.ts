// Writes the generated files: openapi.json, the types of the store's tables, the client's operations, and the tables of docs/ and of a
// README in src/, between their markers.
// `--check` writes nothing and fails if a file is stale.
import { readFileSync, writeFileSync } from "node:fs";
import { GATE_SETTINGS } from "../src/serve/config/gate-settings.ts";
import { REMOTE_SETTINGS } from "../src/serve/config/remote-settings.ts";
import type { Setting } from "../src/platform/kernel/settings/setting-source.ts";
import { GATE_METRICS } from "../src/gate/metrics.ts";
import { CLAIMS } from "../src/gate/requests/claims.ts";
import { SETTINGS } from "../src/serve/config/settings.ts";
import { CONTRACTS } from "../src/contracts.ts";
import { renderOperations } from "./client-table.ts";
import { formRows } from "./api-forms.ts";
import { TABLE_CALLERS, findAccess } from "./access-table.ts";
import { GIFTS, giftOf } from "../src/platform/kernel/gifts.ts";
import { templatePath } from "../src/platform/operations/endpoint-details.ts";
import type { NamedEndpoint } from "../src/platform/operations/endpoint-details.ts";
import { describeApi } from "../src/serve/reference/openapi.ts";
import { METRICS } from "../src/platform/kernel/telemetry/metric-list.ts";
import type { Metric } from "../src/platform/kernel/telemetry/metric-list.ts";
import { fillMarked, markdownTable } from "./markdown.ts";
import { renderTables } from "./table-types.ts";
import { TRANSITIONS, MEMBERSHIP_STATUSES } from "../src/teams/members/rules.ts";
import type { Transition } from "../src/teams/members/rules.ts";
import { HEALTH_CHECKS } from "../src/serve/observability/health-checks.ts";
import type { ErrorCode } from "../src/platform/kernel/errors.ts";
import { ERROR_STATUS } from "../src/platform/kernel/errors.ts";
import { ERROR_REMEDIES } from "../src/serve/reference/error-remedies.ts";
import { HTTP_ERRORS } from "../src/platform/kernel/http-errors.ts";
import { VERSION } from "../src/platform/kernel/version.ts";

const ENDPOINTS: readonly NamedEndpoint[] = CONTRACTS.flatMap((contract) =>
  Object.entries(contract).map(([id, endpoint]) => ({ id, endpoint })),
);

function configurationTable(settings: Readonly<Record<string, Setting<unknown>>>): string {
  const rows = Object.values(settings).map(({ env, flag, help, fallback }) => [
    `\`${env}\``,
    flag === null ? "" : `\`--${flag}\``,
    fallback === null ? "" : `\`${fallback}\``,
    help,
  ]);
  return markdownTable(["variable", "flag", "default", "meaning"], rows);
}

function remoteConfigurationTable(): string {
  const rows = Object.values(REMOTE_SETTINGS).map(({ env, flag, help }) => [
    `\`${env}\``,
    flag === null ? "" : `\`--${flag}\``,
    help,
  ]);
  return markdownTable(["variable", "flag", "meaning"], rows);
}

function endpointTable(): string {
  const rows = ENDPOINTS.map(({ endpoint: { method, path, aliases = [], tag, summary } }) => [
    tag,
    `\`${method} ${templatePath(path)}\``,
    summary,
    aliases.map((alias) => `\`${templatePath(alias)}\``).join(" "),
  ]);
  return markdownTable(["", "endpoint", "what it does", "also at"], rows);
}

function remedyOf(code: ErrorCode): string {
  const remedy: string | undefined = ERROR_REMEDIES[code];
  if (remedy === undefined) throw new Error(`${code}: say what to do about it in serve/reference/error-remedies.ts`);
  return remedy;
}

/** Every error code, with what to do about it and the endpoints that declare it: by name where they are few, by tag where they are many. */
function errorTable(): string {
  const rows = (Object.entries(ERROR_STATUS) as [ErrorCode, number][]).map(([code, status]) => {
    const declaring = ENDPOINTS.filter(({ endpoint }) => (endpoint.errors as readonly string[]).includes(code));
    const named = declaring.map(({ endpoint: { method, path } }) => `\`${method} ${templatePath(path)}\``);
    const tags = [...new Set(declaring.map(({ endpoint }) => endpoint.tag))].toSorted();
    const where = named.length > 4 ? `${named.length} of ${tags.join(", ")}` : named.join(", ");
    const isAnywhere = (HTTP_ERRORS as readonly string[]).includes(code);
    return [
      `\`${code}\``,
      String(status),
      remedyOf(code),
      isAnywhere ? "any" : where || "pages and protocols of sign-in",
    ];
  });
  return markdownTable(
    ["code", "status", "what to do", "endpoints"],
    rows.toSorted(([a = ""], [b = ""]) => a.localeCompare(b)),
  );
}

function formTable(): string {
  const head = ["what", "form", "own operations that differ", "others that differ, for existing clients"];
  return markdownTable(head, formRows(ENDPOINTS.map(({ endpoint }) => endpoint)));
}

function moveTable(): string {
  const moves: readonly (readonly [string, Transition])[] = Object.entries(TRANSITIONS);
  const rows = moves.map(([name, { by, event, from }]) => [
    `\`${name}\``,
    by === "self" ? "the person" : by === "mapping" ? "a role mapping" : `\`${by}\``,
    ...MEMBERSHIP_STATUSES.map((status) => {
      const next = from[status];
      return typeof next === "string" ? `**${next}**` : `\`${next.code}\``;
    }),
    `\`${event}\``,
  ]);
  return markdownTable(["move", "who may", ...MEMBERSHIP_STATUSES.map((status) => `from ${status}`), "event"], rows);
}

function metricTable(metrics: Readonly<Record<string, Metric>>): string {
  const rows = Object.values(metrics).map(({ name, type, labels = [], help }) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(" "),
    help,
  ]);
  return markdownTable(["metric", "type", "labels", "meaning"], rows);
}

function claimTable(): string {
  const rows = CLAIMS.map(({ about, from, names, prefixes = [] }) => [
    about,
    [...names, ...prefixes.map((prefix) => `${prefix}…`)].map((name) => `\`${name}\``).join(" "),
    from === "the gate" ? "from the gate alone" : from === "nobody" ? "never" : `from ${from}`,
  ]);
  return markdownTable(["about", "headers", "the application gets them"], rows);
}

function healthCheckTable(): string {
  const rows = Object.entries(HEALTH_CHECKS).map(([code, { check, isFatal, advice }]) => [
    `\`${check}\``,
    `\`${code}\``,
    isFatal ? "503" : "200",
    advice,
  ]);
  return markdownTable(["check", "code", "status", "advice"], rows);
}

async function permissionTable(): Promise<string> {
  const rows: string[][] = [];
  for (const { endpoint } of ENDPOINTS) {
    const { method, path, tag, recordsAlways = false, recordsWhen } = endpoint;
    const call = `${method} ${templatePath(path)}`;
    const addRow = async (name: string, isRecorded: boolean) => {
      const cells = await Promise.all(TABLE_CALLERS.map((who) => findAccess(endpoint, who, isRecorded)));
      const gift = recordsWhen === undefined || isRecorded ? giftOf(endpoint) : null;
      const what = gift ? GIFTS[gift.what].words + (gift.isAlways ? "" : ", at times") : "";
      rows.push([tag, `\`${name}\``, ...cells.map(String), what, gift ? GIFTS[gift.what].requires.join(", ") : ""]);
    };
    await addRow(call, recordsAlways);
    if (recordsWhen !== undefined) await addRow(`${call}?${recordsWhen}=true`, true);
  }
  return markdownTable(["", "endpoint", ...TABLE_CALLERS, "hands out or revives", "requires"], rows);
}

function fileOf(name: string): URL {
  return new URL(`../${name}`, import.meta.url);
}

function readOrNothing(name: string): string {
  try {
    return readFileSync(fileOf(name), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/** The first line that differs, and how the line counts compare. */
function describeDifference(current: string, expected: string): string {
  const before = current.split("\n");
  const after = expected.split("\n");
  const at = after.findIndex((line, index) => line !== before[index]);
  const line = at < 0 ? after.length : at;
  return [
    `line ${line + 1} of ${before.length}, expected ${after.length} lines`,
    `  - ${before[line] ?? "(end)"}`,
    `  + ${after[line] ?? "(end)"}`,
  ].join("\n");
}

/** A page with its generated tables as they should be. */
function fillPage(page: string, tables: Readonly<Record<string, () => string>>): string {
  return Object.entries(tables).reduce(
    (text, [name, build]) => fillMarked(page, text, name, build()),
    readOrNothing(page),
  );
}

/** Writes a file unless it is as it should be, or complains of it. */
function put(name: string, expected: string): void {
  const current = readOrNothing(name);
  if (current === expected) return;
  if (process.argv.includes("--check")) {
    console.error(`${name} is stale; run: npm run generate\n${describeDifference(current, expected)}`);
    process.exitCode = 1;
  } else {
    writeFileSync(fileOf(name), expected);
    console.log(`wrote ${name}`);
  }
}

put("src/platform/store/tables/tables.ts", renderTables());
// The command line is made from this file: it comes first, and the command line is loaded when it is there.
put("src/client/operations.ts", renderOperations(ENDPOINTS));
if (process.exitCode) process.exit();
const { commandTable, exitCodeTable } = await import("./cli-reference.ts");
const permissions = await permissionTable();
const commands = await commandTable();

const generated: Readonly<Record<string, string>> = {
  "openapi.json": `${JSON.stringify(describeApi(ENDPOINTS, VERSION), null, 2)}\n`,
  "docs/configuration.md": fillPage("docs/configuration.md", { configuration: () => configurationTable(SETTINGS) }),
  "docs/programs.md": fillPage("docs/programs.md", { "remote-configuration": remoteConfigurationTable }),
  "docs/gate.md": fillPage("docs/gate.md", {
    "gate-configuration": () => configurationTable(GATE_SETTINGS),
    "gate-metrics": () => metricTable(GATE_METRICS),
    "gate-claims": claimTable,
  }),
  "docs/cli.md": fillPage("docs/cli.md", { commands: () => commands, "exit-codes": exitCodeTable }),
  "docs/endpoints.md": fillPage("docs/endpoints.md", { endpoints: endpointTable }),
  "docs/api.md": fillPage("docs/api.md", { forms: formTable }),
  "docs/errors.md": fillPage("docs/errors.md", { errors: errorTable }),
  "docs/observability.md": fillPage("docs/observability.md", {
    "health-checks": healthCheckTable,
    metrics: () => metricTable(METRICS),
  }),
  "src/teams/members/README.md": fillPage("src/teams/members/README.md", { moves: moveTable }),
  "docs/permissions.md": fillPage("docs/permissions.md", { permissions: () => permissions }),
};

for (const [name, expected] of Object.entries(generated)) put(name, expected);
