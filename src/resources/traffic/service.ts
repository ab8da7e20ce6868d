// What came of requests: which function carries out each call.
import type { Implements } from "../../kernel/contract.ts";
import { listActions } from "./actions.ts";
import { readAttackStatus } from "./attack-status.ts";
import type { trafficContract } from "./contract.ts";
import { report } from "./report.ts";

export const trafficService: Implements<typeof trafficContract> = {
  reportTraffic: report,
  listTrafficActions: listActions,
  getAttackStatus: readAttackStatus,
  listAlertGroups: async () => [],
};
