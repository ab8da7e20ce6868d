// `reeve events verify`: every chain of the database, in one state of it, so that it works beside a running server.
import { withExistingDatabase } from "./backend.ts";
import type { Settings } from "../config.ts";
import { verifyChains } from "../resources/events/verify.ts";
import type { VerifyResult } from "../resources/events/verify.ts";

export async function verifyEvents(settings: Settings): Promise<VerifyResult> {
  return await withExistingDatabase(settings, (database) => database.snapshot((tx) => verifyChains(tx)));
}
