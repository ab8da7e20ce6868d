// Composition: settings in, a running service out. `reeve serve` and the tests start it the same way.
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { openBackend, openDatabase, sqliteFile } from "./backend.ts";
import type { StoreSide } from "./backend.ts";
import { catalogue } from "./catalogue.ts";
import type { Settings } from "./config.ts";
import { startHousekeeping } from "./housekeeping.ts";
import { createServer } from "./http/server.ts";
import type { Clock } from "./kernel/clock.ts";
import { bootstrapInstance } from "./resources/users/bootstrap.ts";
import { migrate } from "./store/migrate.ts";

export interface App {
  readonly server: FastifyInstance;
  readonly backend: StoreSide;
  /** The administrator's token, on the first start only. */
  readonly firstToken: string | null;
  /** Finishes what is in flight and closes the store; once, however often it is called. */
  close(): Promise<void>;
}

export interface Surroundings {
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
}

/** Brings the store up to date and builds the server; it does not listen yet. */
export async function createApp(settings: Settings, { clock, logger }: Surroundings): Promise<App> {
  const database = await openDatabase(settings);
  let firstToken: string | null;
  try {
    await migrate(database, settings.databaseUrl === null ? sqliteFile(settings) : null, clock());
    firstToken = await database.transaction((tx) => bootstrapInstance(tx, settings.bootstrapToken, clock()));
  } catch (error) {
    await database.close();
    throw error;
  }
  const backend = await openBackend(settings, database);
  const server = createServer({
    backend,
    operations: catalogue.operations,
    clock,
    logger,
    rateLimit: settings.rateLimit,
    publicUrl: settings.publicUrl ?? "",
    hasMail: settings.smtpUrl !== null,
  });
  const housekeeping = startHousekeeping(backend, clock, logger);
  async function stop(): Promise<void> {
    housekeeping.stop();
    await server.close();
    await backend.close();
  }
  let stopped: Promise<void> | undefined;
  return { server, backend, firstToken, close: () => (stopped ??= stop()) };
}
