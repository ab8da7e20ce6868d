// Work that no request waits for, in servers and workers alike: clearing away, and sending mail where there is a
// mail server.
import type { FastifyBaseLogger } from "fastify";
import type { StoreSide } from "./backend.ts";
import type { Settings } from "../config.ts";
import { startMailer } from "../delivery/mailer.ts";
import { startHousekeeping } from "./housekeeping.ts";
import type { Clock } from "../kernel/clock.ts";

export interface BackgroundWork {
  /** A change was committed, so there may be something to do at once. */
  noteWrite(): void;
  /** Resolves when the steps that run are done. */
  stop(): Promise<void>;
}

export function startBackgroundWork(
  backend: StoreSide,
  settings: Settings,
  { clock, logger }: { readonly clock: Clock; readonly logger: FastifyBaseLogger },
): BackgroundWork {
  const housekeeping = startHousekeeping(backend, clock, logger);
  const { smtpUrl, mailFrom, publicUrl } = settings;
  const mailer =
    smtpUrl === null
      ? undefined
      : startMailer(backend, { smtpUrl, mailFrom, publicUrl: publicUrl ?? "", clock, logger });
  return {
    noteWrite: () => mailer?.nudge(),
    async stop() {
      await Promise.all([housekeeping.stop(), mailer?.stop()]);
    },
  };
}
