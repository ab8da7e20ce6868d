// Removes old events until none is left, or until it is killed: `prune-process.ts <flags as JSON> <days> <now>`.
import { openExistingDatabase } from "../../src/serve/open-database.ts";
import { runDirectly } from "../../src/serve/open-store-runner.ts";
import { requireKeyring } from "../../src/serve/master-keys/start-keyring.ts";
import { readSettings } from "../../src/serve/config/config.ts";
import type { Flags } from "../../src/serve/config/config.ts";

const [flags = "", retentionDays = "", now = ""] = process.argv.slice(2);
const settings = readSettings(JSON.parse(flags) as Flags, {});
const database = await openExistingDatabase(settings);
const runner = runDirectly(database, await requireKeyring(settings, database.reader));
const input = { retentionDays: Number(retentionDays) };
while ((await runner.changes.pruneEvents(input, Number(now))) > 0);
await runner.close();
