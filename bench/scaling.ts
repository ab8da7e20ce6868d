// The figures of docs/scaling.md, from bench/costs.json.
import { fillMarked, markdownTable } from "../tools/markdown.ts";
import type { CallCosts, Costs } from "./costs.ts";
import { measuredCosts } from "./costs.ts";
import { ASSUMPTIONS, assumed, forecast } from "./forecast.ts";
import type { Assumptions, Forecast, MeasuredCosts } from "./forecast.ts";
import { isReached } from "./table.ts";

const SIZES = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8] as const;
const THOUSANDS = /\B(?=(?:\d{3})+$)/g;
const PRECISE_BELOW = 10;

/** With digits behind the point where there are few before it, and groups of three where there are many. */
function format(value: number): string {
  if (!Number.isFinite(value)) return "-";
  if (value === 0 || Number.isInteger(value)) return String(value).replaceAll(THOUSANDS, " ");
  return value < PRECISE_BELOW ? value.toPrecision(2) : Math.round(value).toString().replaceAll(THOUSANDS, " ");
}

/** Whole and round: the digits behind say nothing of a forecast. */
const formatPower = (owners: number) => `10^${Math.round(Math.log10(owners))}`;

export function forecastTable(
  costs: MeasuredCosts,
  assumptions: Assumptions,
  sizes: readonly number[] = SIZES,
): string {
  const columns: readonly (readonly [head: string, cell: (row: Forecast) => string])[] = [
    ["owners", ({ owners }) => (Number.isInteger(Math.log10(owners)) ? formatPower(owners) : format(owners))],
    ["requests/s", ({ reads, writes }) => format(reads + writes)],
    ["deliveries/s", ({ deliveries }) => format(deliveries)],
    ["one SQLite node", ({ fileCores, fitsOneFile }) => `${fitsOneFile ? "yes" : "no"} (${format(fileCores)} cores)`],
    ["processes", ({ processes }) => format(processes)],
    ["PostgreSQL cores", ({ databaseCores }) => format(databaseCores)],
    ["primaries", ({ primaries }) => format(primaries)],
    ["connections each", ({ connectionsPerPrimary }) => format(connectionsPerPrimary)],
    ["wait p99, ms", ({ waitP99Ms }) => format(waitP99Ms)],
    ["lag p50, ms", ({ lagP50Ms }) => format(lagP50Ms)],
    ["lag p99, ms", ({ lagP99Ms }) => format(lagP99Ms)],
    ["GB a year", ({ gigabytesPerYear }) => format(gigabytesPerYear)],
  ];
  const rows = sizes.map((owners) => forecast(costs, assumptions, owners));
  return markdownTable(
    columns.map(([head]) => head),
    rows.map((row) => columns.map(([, cell]) => cell(row))),
  );
}

function machineLine({ machine }: Costs): string {
  const fact = (name: string) => machine.find((one) => one.name === name)?.value ?? "";
  return `Measured ${fact("date")} on ${fact("machine")}, Node ${fact("Node")}; load average before: ${fact("load average before")}.`;
}

function callTable({ calls }: Costs): string {
  const rows = calls.map(({ call, sqlite, cached, postgres }) => [
    call,
    format(sqlite.perSecond),
    format(sqlite.cpuUs),
    cached ? format(cached.cpuUs) : "",
    format(postgres.perSecond),
    format(postgres.cpuUs),
    format(postgres.databaseCpuUs),
  ]);
  const head = ["", "SQLite, 1/s", "CPU us", "CPU us, cached", "PostgreSQL, 1/s", "CPU us", "PostgreSQL's own CPU us"];
  return markdownTable(head, rows);
}

function growthTable({ growth }: Costs): string {
  const rows = growth.map((found) => [
    found.title,
    found.label,
    found.value.toFixed(2),
    found.goal ? `${found.goal.value}: ${isReached(found) ? "yes" : "no"}` : "",
  ]);
  return markdownTable(["", "large store / small store", "ratio", "at most"], rows);
}

/** What one core serves of a call when as much of it is used as is planned for. */
function nodeTable({ calls }: Costs): string {
  const share = ASSUMPTIONS.utilisation.value;
  const perCore = (cpuUs: number) => format(Math.floor((share * 1e6) / cpuUs));
  const rows = calls
    .filter(({ kind }: CallCosts) => kind !== "one owner")
    .map(({ call, sqlite, postgres }) => [
      call,
      perCore(sqlite.cpuUs),
      perCore(postgres.cpuUs),
      perCore(postgres.databaseCpuUs),
      format(postgres.databaseCpuUs / postgres.cpuUs),
    ]);
  const head = ["", "a core on SQLite, 1/s", "a process on PostgreSQL, 1/s", "a core of PostgreSQL, 1/s"];
  return markdownTable([...head, "cores of PostgreSQL per process"], rows);
}

function assumptionTable(): string {
  const rows = Object.entries(ASSUMPTIONS).map(([name, { value, help }]) => [`\`${name}\``, format(value), help]);
  return markdownTable(["", "", "what"], rows);
}

/** The page with the figures of these costs. */
export function fillScalingPage(text: string, costs: Costs): string {
  const blocks = {
    calls: `${machineLine(costs)}\n\n${callTable(costs)}`,
    growth: growthTable(costs),
    node: nodeTable(costs),
    assumptions: assumptionTable(),
    forecast: forecastTable(measuredCosts(costs), assumed()),
  };
  return Object.entries(blocks).reduce(
    (page, [name, content]) => fillMarked("docs/scaling.md", page, name, content),
    text,
  );
}
