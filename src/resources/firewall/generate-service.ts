// A rule out of a plain request.
import type { Implements } from "../../kernel/contract.ts";
import type { generateContract } from "./generate-contract.ts";
import { generateRule } from "./generate-rules.ts";

export const generateService: Implements<typeof generateContract> = {
  generateFirewallRule: (_tx, { body }) => generateRule(body?.prompt ?? ""),
};
