// The handler of the report for administrators.
import type { Implements } from "../../platform/kernel/contract.ts";
import type { instanceContract } from "./contract.ts";

export const instanceService: Implements<typeof instanceContract> = {
  // What the process itself knows is outside of the store: the settings, and the checks that run beside it.
  getInstance: () => ({ effect: {} }),
};
