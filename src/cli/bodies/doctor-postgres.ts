// The checks of `reeve doctor` that only PostgreSQL needs: the privileges of the role, and sessions behind a pooler.
import type { Finding } from "../../platform/outcomes/finding.ts";
import type { Database } from "../../platform/store/database.ts";
import { STORE_ADVICE } from "../../platform/store/failure.ts";
import { LACKING, describeLacking } from "../../platform/store/postgres/roles.ts";

const IS_OWNER = `select pg_has_role(c.relowner, 'usage') as is_owner from pg_class c
  join pg_namespace n on n.oid = c.relnamespace where n.nspname = current_schema() and c.relname = 'schema_migrations'`;

/** Whether the role has the privileges of a server, and whether it may change the schema. */
export async function examinePrivileges({ admin }: Database): Promise<Finding> {
  const check = "privileges";
  const lacking = describeLacking(await admin.query(LACKING));
  if (lacking !== null) return { check, status: "fault", detail: lacking, advice: STORE_ADVICE.denied };
  const [row] = await admin.query(IS_OWNER);
  const detail =
    row?.["is_owner"] === true
      ? "this role may do what a server does, and change the schema"
      : "this role may do what a server does; `reeve migrate` needs the one that owns the tables";
  return { check, status: "ok", detail };
}

export async function examinePooling(url: string): Promise<Finding> {
  const check = "sessions";
  const { examineSessions } = await import("../../platform/store/postgres/sessions.ts");
  try {
    const { areShared, areLimited } = await examineSessions(url);
    if (!areLimited) {
      return {
        check,
        status: "warning",
        detail: "the limits that Reeve asks for do not reach the server: statement_timeout is 0",
        advice: "a pooler ignores them: set them for the role, as /docs/postgresql says",
      };
    }
    return { check, status: "ok", detail: areShared ? "shared by a pooler, with what was prepared" : "of its own" };
  } catch (error) {
    return {
      check,
      status: "warning",
      detail: `could not be looked at: ${(error as Error).message}`,
      advice: "ask again when fewer connections are in use",
    };
  }
}

/** Of several hosts: which one Reeve would write to, and what the others are. */
export async function examineHostList(url: string): Promise<readonly Finding[]> {
  const check = "hosts";
  const { examineHosts } = await import("../../platform/store/postgres/sessions.ts");
  const hosts = await examineHosts(url);
  if (hosts.length < 2) return [];
  const detail = hosts.map((one) => `${one.host}: ${one.detail}`).join("; ");
  const writable = hosts.filter((one) => one.isWritable).length;
  const away = hosts.filter((one) => !one.isReached);
  if (writable === 1 && away.length > 0) {
    const advice = `Reeve could not go on at ${away.map((one) => one.host).join(" and ")}: see that it runs, and lets this role in`;
    return [{ check, status: "warning", detail, advice }];
  }
  if (writable === 1) return [{ check, status: "ok", detail }];
  const advice =
    writable === 0
      ? "promote one of them, and see that it can be reached from here"
      : "fence all but one: Reeve writes to the first that accepts writes, and may meet an old primary";
  return [{ check, status: "fault", detail, advice }];
}
