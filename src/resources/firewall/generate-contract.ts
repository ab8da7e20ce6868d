// A rule out of a plain request.
import type { Rule } from "../../evaluator/config.ts";
import { defineContract } from "../../kernel/contract.ts";
import { Type } from "../../kernel/schema.ts";
import { PROJECT_QUERY } from "../projects/project-schema.ts";
import { RULE_FIELDS } from "./config-schema.ts";
import { FIREWALL_TAG, firewallAliases } from "./contract.ts";

export const generateContract = defineContract({
  generateFirewallRule: {
    method: "POST",
    path: "/v1/firewalls/generate-rule",
    aliases: firewallAliases("/generate-rule"),
    tag: FIREWALL_TAG,
    summary: "Write a rule from a plain request, such as `block path /admin and not country DE`",
    description:
      "Reads fixed forms, and every word of them: what it does not understand it names in `error`, with what it does. " +
      "Stores nothing.",
    access: { kind: "owner", permission: "firewall:read" },
    query: Type.Object(PROJECT_QUERY),
    body: Type.Object(
      {
        prompt: Type.Optional(Type.String({ maxLength: 1_000, description: "What the rule should do, in English." })),
        currentRule: Type.Optional(Type.Unsafe({ description: "A rule that clients want changed; not looked at." })),
      },
      { additionalProperties: false },
    ),
    isBodyOptional: true,
    readsOnly: true,
    response: Type.Unsafe<{ readonly rule: Omit<Rule, "id"> } | { readonly error: string }>(
      Type.Object({
        rule: Type.Optional(Type.Object(RULE_FIELDS, { title: "GeneratedRule" })),
        error: Type.Optional(Type.String({ description: "What was not understood, and what would be." })),
      }),
    ),
    errors: [],
    emits: [],
  },
});
