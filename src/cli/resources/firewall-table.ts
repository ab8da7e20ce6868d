// The commands of firewalls, as data: configurations, rules, bypasses, attack challenge mode and traffic.
import type { Resource } from "./row.ts";

const changes = async () => await import("./firewall-rules-change.ts");
const CHANGES = ["updateFirewallConfig", "updateFirewallDraft"] as const;
const BYPASS_COLUMNS = ["Domain", "Ip", "Note", "ExpiresAt", "Id"];

interface Doubted {
  readonly name?: string;
  readonly domain?: string;
  readonly validationErrors?: readonly string[] | null;
}

/** What those of a list do otherwise than it may seem. */
function doubtsOf(what: string, list: unknown): string[] {
  return (Array.isArray(list) ? (list as Doubted[]) : []).flatMap(({ name, domain = "", validationErrors }) =>
    (validationErrors ?? []).map((doubt) => `Look at the ${what} ${name ?? domain} again: ${doubt}`),
  );
}

function noteOf(doubts: readonly string[]): string | null {
  return doubts.length === 0 ? null : doubts.join("\n");
}

/** Of a configuration. */
function rulesNote({ rules, conditions }: Readonly<Record<string, unknown>>): string | null {
  return noteOf([...doubtsOf("rule", rules), ...doubtsOf("shared condition", conditions)]);
}

const bypassNote = (rule: Readonly<Record<string, unknown>>) => noteOf(doubtsOf("bypass rule of", [rule]));

export const firewall: Resource = {
  name: "firewall",
  summary: "change, activate and test firewall configurations",
  commands: {
    versions: {
      operation: "listFirewallConfigs",
      columns: ["version", "firewallEnabled", "updatedAt", "note"],
      examples: ["reeve firewall versions --team acme --project shop"],
    },
    view: {
      operation: "getFirewallConfig",
      byDefault: { configVersion: "active" },
      examples: [
        "reeve firewall view --team acme --project shop --json '*'",
        "reeve firewall view draft --team acme --project shop",
      ],
    },
    put: {
      operation: "putFirewallConfig",
      summary: "replace the configuration by that of a file",
      shown: "active",
      note: rulesNote,
      examples: ["reeve firewall put --team acme --project shop --input firewall.json"],
    },
    activate: {
      operation: "activateFirewallConfig",
      note: rulesNote,
      examples: [
        "reeve firewall activate draft --team acme --project shop",
        "reeve firewall activate 3 --team acme --project shop",
      ],
    },
    discard: {
      operation: "discardFirewallDraft",
      args: [],
      fixed: { params: { configVersion: "draft" } },
      confirm: "Discard the draft?",
      preview: "getFirewallConfig",
      done: "Discarded the draft.",
      examples: ["reeve firewall discard --team acme --project shop --dry-run"],
    },
    diff: {
      operation: "diffFirewallConfigs",
      list: "differences",
      columns: ["kind", "part", "id"],
      examples: ["reeve firewall diff active draft --team acme --project shop"],
    },
    evaluate: {
      operation: "evaluateFirewallConfig",
      summary: "say what a configuration decides about the requests of a file",
      byDefault: { configVersion: "active" },
      list: "results",
      columns: ["decision"],
      examples: ["reeve firewall evaluate draft --team acme --project shop --input requests.json"],
    },
    test: { load: async () => (await import("../commands/firewall.ts")).firewallTestCommand, operations: [] },
    "rules list": {
      load: async () => (await import("./firewall-rules.ts")).rulesListCommand,
      operations: ["getFirewallConfig"],
    },
    "rules add": {
      load: async () => (await import("./firewall-rules.ts")).rulesAddCommand,
      operations: CHANGES,
    },
    "rules update": {
      load: async () => (await changes()).rulesUpdateCommand,
      operations: CHANGES,
    },
    "rules enable": {
      load: async () => (await changes()).rulesEnableCommand,
      operations: CHANGES,
    },
    "rules disable": {
      load: async () => (await changes()).rulesDisableCommand,
      operations: CHANGES,
    },
    "rules move": {
      load: async () => (await changes()).rulesMoveCommand,
      operations: CHANGES,
    },
    "rules remove": {
      load: async () => (await import("./firewall-rules.ts")).rulesRemoveCommand,
      operations: CHANGES,
    },
    "bypasses list": {
      operation: "listBypasses",
      columns: BYPASS_COLUMNS,
      examples: ["reeve firewall bypasses list --team acme --project shop"],
    },
    "bypasses add": {
      operation: "addBypass",
      list: "result",
      columns: ["Domain", "Ip", "Note", "Id"],
      examples: [
        "reeve firewall bypasses add --team acme --project shop --project-scope --source-ip 192.0.2.1 --note office",
      ],
    },
    "bypasses remove": {
      operation: "removeBypass",
      confirm: "Remove the bypass?",
      done: "Removed the bypass.",
      examples: [
        "reeve firewall bypasses remove --team acme --project shop --project-scope --source-ip 192.0.2.1 --yes",
      ],
    },
    "bypass-rules list": {
      operation: "listBypassRules",
      columns: ["domain", "note", "updatedAt", "id"],
      examples: ["reeve firewall bypass-rules list --team acme --project shop"],
    },
    "bypass-rules add": {
      operation: "addBypassRule",
      list: "result",
      columns: ["domain", "note", "id"],
      note: bypassNote,
      examples: ["reeve firewall bypass-rules add --team acme --project shop --input rule.json"],
    },
    "bypass-rules replace": {
      operation: "replaceBypassRule",
      list: "result",
      columns: ["domain", "note", "id"],
      note: bypassNote,
      examples: ["reeve firewall bypass-rules replace --team acme --project shop --input rule.json"],
    },
    "bypass-rules remove": {
      operation: "removeBypassRule",
      args: ["domain"],
      confirm: "Remove the bypass rule of {domain}?",
      done: "Removed the bypass rule of {domain}.",
      examples: ["reeve firewall bypass-rules remove hooks.example.com --team acme --project shop --yes"],
    },
    "attack-mode view": {
      operation: "getAttackMode",
      examples: ["reeve firewall attack-mode view --team acme --project shop"],
    },
    "attack-mode on": {
      operation: "setAttackMode",
      summary: "challenge every client of a project",
      fixed: { body: { attackModeEnabled: true } },
      examples: ["reeve firewall attack-mode on --team acme --project shop --attack-mode-active-until 2h"],
    },
    "attack-mode off": {
      operation: "setAttackMode",
      summary: "end attack challenge mode",
      fixed: { body: { attackModeEnabled: false } },
      examples: ["reeve firewall attack-mode off --team acme --project shop"],
    },
    "attack-mode automatic": {
      operation: "getAutomaticAttackMode",
      examples: ["reeve firewall attack-mode automatic --team acme --project shop"],
    },
    "attack-mode set-automatic": {
      operation: "setAutomaticAttackMode",
      examples: ["reeve firewall attack-mode set-automatic --enabled --team acme --project shop"],
    },
    "traffic actions": {
      operation: "listTrafficActions",
      list: "actions",
      columns: ["startTime", "endTime", "action", "host", "count"],
      examples: ["reeve firewall traffic actions --team acme --project shop"],
    },
    "traffic attacks": {
      operation: "getAttackStatus",
      list: "anomalies",
      columns: ["startTime", "endTime", "state"],
      examples: ["reeve firewall traffic attacks --team acme --project shop"],
    },
    "traffic metrics": {
      operation: "queryMetrics",
      examples: ["reeve firewall traffic metrics --team acme --input query.json --json '*'"],
    },
  },
};
