// What needs somebody in a team, counted.
import { Type } from "typebox";
import { defineContract } from "../../platform/kernel/contract.ts";
import { TeamParams } from "../../platform/kernel/membership.ts";
import { MOST_COUNTED } from "./attention-schema.ts";

const Count = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }));

export const attentionContract = defineContract({
  getTeamAttention: {
    method: "GET",
    path: "/v1/teams/:teamId/attention",
    tag: "Teams",
    summary: "Count what needs somebody in a team",
    description:
      `Each count is exact up to ${MOST_COUNTED}; ${MOST_COUNTED + 1} says that there are more. A kind that the caller may not list ` +
      "is absent.",
    access: { kind: "team", permission: "team:read" },
    params: TeamParams,
    response: Type.Object({
      members: Count("People who ask to join. Needs `member:read`."),
      webhooks: Count("Webhooks that fail, or that were disabled after failures. Needs `webhook:read`."),
      apiKeys: Count("API keys that are suspended. Needs `api-key:read`."),
      trustRules: Count("Trust rules that are suspended. Needs `api-key:read`."),
      secrets: Count("Secrets that have ended, or end within 7 days. Needs `secret:read`."),
      attackModes: Count("Projects in attack mode. Needs `firewall:read`."),
      drafts: Count("Projects whose firewall has a draft. Needs `firewall:read`."),
    }),
    errors: [],
    emits: [],
  },
});
