// The plans by which PostgreSQL ran the statements of a request, with the rows and blocks that each read: the server's own log, written by
// auto_explain while the statements ran, so with the sessions, prepared statements and parameters of Reeve itself.
import { fstatSync, openSync, readSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { PostgresNode } from "../postgres/node.ts";
import { waitFor } from "../harness/wait-for.ts";

/** For postgresql.conf. */
export const RECORDING = [
  "session_preload_libraries = 'auto_explain'",
  "auto_explain.log_min_duration = 0",
  "auto_explain.log_analyze = on",
  "auto_explain.log_buffers = on",
  "auto_explain.log_timing = off",
  "auto_explain.log_format = 'json'",
  "logging_collector = on",
  "log_destination = 'jsonlog'",
  "log_rotation_size = 0",
];

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly Plans?: readonly PlanNode[];
}

export interface RecordedPlan {
  readonly text: string;
  readonly plan: PlanNode;
  /** The rows read of the table that most were read of, those that a filter removed included. */
  readonly rows: number;
  /** The blocks read of tables and indexes. */
  readonly blocks: number;
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** The rows that a plan read of each table. */
function rowsByTable(plan: PlanNode): Record<string, number> {
  const rows: Record<string, number> = {};
  for (const node of nodesOf(plan)) {
    const table = node["Relation Name"];
    if (table === undefined || !node["Node Type"].includes("Scan")) continue;
    const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
    rows[table] = (rows[table] ?? 0) + (node["Actual Rows"] + removed) * node["Actual Loops"];
  }
  return rows;
}

function readPlan(message: string): RecordedPlan {
  const { "Query Text": text, Plan: plan } = JSON.parse(message.slice(message.indexOf("{"))) as {
    readonly "Query Text": string;
    readonly Plan: PlanNode;
  };
  return {
    text,
    plan,
    rows: Math.max(0, ...Object.values(rowsByTable(plan))),
    blocks: plan["Shared Hit Blocks"] + plan["Shared Read Blocks"],
  };
}

/** Returns a function that runs a request and returns the plans of all statements that were sent since the last one. */
export function createRecorder(node: PostgresNode) {
  const folder = join(node.folder, "log");
  const [file = ""] = readdirSync(folder).filter((name) => name.endsWith(".json"));
  const log = openSync(join(folder, file), "r");
  let [at, unread, markers] = [fstatSync(log).size, "", 0];

  /** The lines that have been written since it was called last, after all statements that have ended are in the log. */
  async function readLines(): Promise<readonly string[]> {
    const marker = `select 'marker ${++markers}'`;
    await node.query(marker);
    return await waitFor("the log of the last statement", () => {
      const bytes = Buffer.alloc(fstatSync(log).size - at);
      at += readSync(log, bytes, 0, bytes.length, at);
      unread += bytes.toString();
      const end = unread.indexOf("\n", unread.indexOf(marker));
      if (!unread.includes(marker) || end < 0) return undefined;
      const lines = unread.slice(0, end).split("\n");
      unread = unread.slice(end + 1);
      return lines;
    });
  }

  return async (send: () => Promise<void>): Promise<readonly RecordedPlan[]> => {
    await send();
    return (await readLines())
      .filter((line) => line.includes("plan:") && !line.includes("select 'marker"))
      .map((line) => readPlan((JSON.parse(line) as { readonly message: string }).message));
  };
}
