// Migrates the store of its one argument (settings as JSON) and prints the schema's version.
import { sqliteFile } from "../../src/serve/config/data-paths.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import { readSettings } from "../../src/serve/config/config.ts";
import { migrate, readSchemaVersion } from "../../src/platform/store/migrations/migrate.ts";

const settings = readSettings(JSON.parse(process.argv[2] as string), {});
const database = await openDatabase(settings);
await migrate(database, settings.databaseUrl === null ? sqliteFile(settings) : null, 0);
console.log(await readSchemaVersion(database));
await database.close();
