// The import table of ARCHITECTURE.md: which imports a file in each place may have, and which not. What the linter makes of them, and of
// the rules on files, is planted in an empty tree.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findViolation } from "./import-boundaries.ts";
import { lint } from "./lint-tree.ts";

interface Row {
  readonly from: string;
  /** Paths below `src/`. */
  readonly may: readonly string[];
  readonly mayNot: readonly string[];
}

/** Nothing imports these. */
const NOBODY = ["cli/main.ts", "../test/harness/test-app.ts", "../tools/generate.ts"];

/** Of each row of the import table: what a file in that place may import, and what it may not. */
const TABLE: readonly Row[] = [
  {
    from: "platform/kernel/plant.ts",
    may: ["platform/kernel/tx.ts", "../package.json"],
    mayNot: ["platform/outcomes/failure.ts", "platform/store/database.ts", "events/events/emit.ts"],
  },
  ...["outcomes", "egress"].map((folder) => ({
    from: `platform/${folder}/plant.ts`,
    may: ["platform/kernel/tx.ts"],
    mayNot: ["platform/store/database.ts", "platform/http/route.ts", "teams/teams/contract.ts"],
  })),
  {
    from: "platform/http/deeper/plant.ts",
    may: ["platform/kernel/tx.ts", "platform/store/database.ts", "platform/operations/execute.ts"],
    mayNot: ["identity/accounts/rules.ts", "serve/app.ts", "gate/message.ts"],
  },
  {
    from: "../console/pages/plants/plant.ts",
    may: [
      "client/error.ts",
      "platform/kernel/roles.ts",
      "firewall/evaluator/config.ts",
      "firewall/evaluator/condition-types.ts",
      "../console/app.tsx",
    ],
    mayNot: ["platform/kernel/errors.ts", "teams/teams/contract.ts", "platform/http/route.ts"],
  },
  {
    from: "teams/members/contract.ts",
    may: [
      "platform/kernel/contract.ts",
      "events/queue/vocabulary.ts",
      "teams/invites/contract.ts",
      "teams/members/member-schema.ts",
      "identity/accounts/user-schema.ts",
    ],
    mayNot: [
      "teams/members/store.ts",
      "teams/members/service.ts",
      "teams/invites/store.ts",
      "teams/teams/contract.ts",
      "firewall/evaluator/decision.ts",
      "events/queue/queue.ts",
      "platform/store/tables/tables.ts",
      "platform/http/route.ts",
    ],
  },
  {
    from: "firewall/bypasses/contract.ts",
    may: ["firewall/evaluator/decision.ts", "firewall/configurations/contract.ts"],
    mayNot: ["firewall/evaluator/evaluator.ts", "firewall/bundles/contract.ts"],
  },
  {
    from: "firewall/bypasses/rules.ts",
    may: ["platform/kernel/errors.ts", "firewall/evaluator/evaluator.ts", "firewall/bypasses/contract.ts"],
    mayNot: [
      "firewall/bypasses/store.ts",
      "firewall/bypasses/service.ts",
      "firewall/configurations/contract.ts",
      "firewall/configurations/rules.ts",
      "platform/store/tables/tables.ts",
    ],
  },
  {
    from: "teams/members/deeper/store.ts",
    may: [
      "platform/kernel/tx.ts",
      "platform/store/prepared.ts",
      "teams/members/contract.ts",
      "platform/store/search/entries.ts",
    ],
    mayNot: [
      "teams/members/service.ts",
      "teams/members/rules.ts",
      "teams/invites/store.ts",
      "teams/invites/contract.ts",
      "platform/http/route.ts",
    ],
  },
  {
    from: "teams/members/service.ts",
    may: [
      "platform/kernel/errors.ts",
      "teams/members/contract.ts",
      "teams/members/store.ts",
      "events/events/emit.ts",
      "identity/team-access/team-access.ts",
    ],
    mayNot: [
      "teams/invites/store.ts",
      "events/events/order-store.ts",
      "identity/team-access/store.ts",
      "identity/sign-in/sign-in.ts",
      "platform/store/database.ts",
      "platform/http/route.ts",
      "platform/operations/execute.ts",
      "events/delivery/dispatcher.ts",
      "events/queue/queue.ts",
      "secrets/secrets/value.ts",
      "serve/composition/registry.ts",
    ],
  },
  {
    from: "events/webhooks/plant.ts",
    may: ["events/queue/queue.ts", "events/queue/queue-store.ts"],
    mayNot: ["events/delivery/dispatcher.ts", "platform/egress/egress.ts"],
  },
  {
    from: "events/queue/plant.ts",
    may: ["platform/kernel/tx.ts", "platform/store/prepared.ts", "events/events/emit.ts"],
    mayNot: ["events/events/store.ts", "events/mails/outbox.ts", "events/webhooks/service.ts"],
  },
  {
    from: "events/delivery/plant.ts",
    may: [
      "events/events/types.ts",
      "events/mails/outbox.ts",
      "events/queue/queue-store.ts",
      "platform/egress/egress.ts",
    ],
    mayNot: ["events/webhooks/store.ts", "secrets/secrets/value.ts", "platform/http/route.ts"],
  },
  {
    from: "identity/sign-in/plant.ts",
    may: ["identity/methods/passkeys.ts", "platform/kernel/settings/setting-values.ts"],
    mayNot: [
      "platform/operations/execute.ts",
      "identity/methods/store.ts",
      "identity/pages/page.ts",
      "platform/http/route.ts",
      "teams/members/rules.ts",
    ],
  },
  {
    from: "identity/pages/plant.ts",
    may: ["identity/sign-in/sign-in.ts", "platform/http/route.ts"],
    mayNot: [
      "identity/accounts/store.ts",
      "platform/operations/execute.ts",
      "platform/store/database.ts",
      "serve/console/app-routes.ts",
    ],
  },
  {
    from: "firewall/evaluator/deeper/plant.ts",
    may: ["platform/kernel/tx.ts"],
    mayNot: ["platform/store/database.ts", "teams/projects/contract.ts", "gate/message.ts"],
  },
  {
    from: "gate/deeper/plant.ts",
    may: ["platform/kernel/tx.ts", "firewall/evaluator/evaluator.ts", "platform/kernel/settings/setting-values.ts"],
    mayNot: [
      "firewall/configurations/contract.ts",
      "platform/store/database.ts",
      "platform/http/route.ts",
      "client/client.ts",
    ],
  },
  {
    from: "serve/plant.ts",
    may: ["platform/http/route.ts", "gate/message.ts", "teams/teams/service.ts", "events/webhooks/store.ts"],
    mayNot: ["cli/output.ts", "client/client.ts", "contracts.ts"],
  },
  {
    from: "client/plant.ts",
    may: ["client/client.ts", "platform/kernel/text/retry-after.ts"],
    mayNot: ["platform/kernel/errors.ts", "contracts.ts", "serve/app.ts"],
  },
  {
    from: "cli/bodies/plant.ts",
    may: ["client/client.ts", "serve/backup/restore.ts", "identity/accounts/rules.ts"],
    mayNot: ["cli/output.ts", "cli/commands/api.ts"],
  },
  {
    from: "cli/commands/plant.ts",
    may: [
      "client/client.ts",
      "contracts.ts",
      "platform/outcomes/failure.ts",
      "serve/config/config.ts",
      "cli/output.ts",
    ],
    mayNot: ["serve/backup/restore.ts", "cli/bodies/doctor.ts", "platform/store/database.ts"],
  },
].map((row) => ({ ...row, mayNot: [...row.mayNot, ...NOBODY] }));

test("every import that the table forbids is refused, by value and by type", () => {
  for (const { from, mayNot } of TABLE) {
    for (const to of mayNot) {
      assert.notEqual(findViolation(from, to, "value"), null, `${from} -> ${to}`);
      if (!mayHaveTypes(from, to)) assert.notEqual(findViolation(from, to, "type"), null, `type ${from} -> ${to}`);
    }
  }
});

/** A service may know the types of the store, the client those of contracts, and a command those of its body. */
const mayHaveTypes = (from: string, to: string) => TYPES_ONLY.some(([one, other]) => one === from && to === other);

const TYPES_ONLY = [
  ["teams/members/service.ts", "platform/store/database.ts"],
  ["client/plant.ts", "contracts.ts"],
  ["cli/commands/plant.ts", "serve/backup/restore.ts"],
  ["cli/commands/plant.ts", "cli/bodies/doctor.ts"],
] as const;

test("every import that the table allows passes", () => {
  for (const { from, may } of TABLE) {
    for (const to of may) assert.equal(findViolation(from, to, "value"), null, `${from} -> ${to}`);
  }
  for (const [from, to] of TYPES_ONLY) assert.equal(findViolation(from, to, "type"), null, `type ${from} -> ${to}`);
  assert.equal(findViolation("cli/commands/plant.ts", "cli/bodies/doctor.ts", "load"), null);
  assert.notEqual(findViolation("client/plant.ts", "contracts.ts", "load"), null);
});

test("the linter reports a forbidden import of each form, and lets allowed ones pass", () => {
  const forms = {
    value: 'import { thing } from "PATH";\nexport const copy = thing;\n',
    type: 'import type { Thing } from "PATH";\nexport type Copy = Thing;\n',
    again: 'export { thing } from "PATH";\n',
    dynamic: 'export const load = (): unknown => import("PATH");\n',
  };
  const plant = (path: string) =>
    Object.fromEntries(
      [
        ["src/teams/members", "../.."],
        ["console/pages", "../../src"],
      ].flatMap(([folder, up]) =>
        Object.entries(forms).map(([name, text]) => [`${folder}/${name}.ts`, text.replace("PATH", `${up}/${path}`)]),
      ),
    );
  const upward = plant("secrets/secrets/value.ts");
  assert.deepEqual(
    [...lint(upward)].toSorted(),
    Object.keys(upward)
      .map((name) => `${name}: reeve(import-boundaries)`)
      .toSorted(),
  );
  assert.deepEqual([...lint(plant("platform/kernel/roles.ts"))], []);
});

test("the linter refuses each rule on files when it is broken", () => {
  const planted = {
    "src/serve/cycle-one.ts": 'import { two } from "./cycle-two.ts";\nexport const one = (): unknown => two;\n',
    "src/serve/cycle-two.ts": 'import { one } from "./cycle-one.ts";\nexport const two = (): unknown => one;\n',
    "src/serve/type-one.ts": 'import type { Two } from "./type-two.ts";\nexport type One = readonly Two[];\n',
    "src/serve/type-two.ts": 'import type { One } from "./type-one.ts";\nexport type Two = { readonly one: One };\n',
    "src/serve/default.ts": "const thing = 1;\nexport default thing;\n",
    "src/serve/long.ts": "export const line = 1;\n".padEnd(23 + 300, "\n"),
    "src/serve/environment.ts": 'export const home = process.env["HOME"];\n',
    "src/serve/later.ts": "// TO\u0044O: finish\nexport const later = 1;\n",
  };
  const findings = lint(planted);
  assert.deepEqual([...findings].toSorted(), [
    "src/serve/cycle-one.ts: import(no-cycle)",
    "src/serve/cycle-two.ts: import(no-cycle)",
    "src/serve/default.ts: import(no-default-export)",
    "src/serve/environment.ts: node(no-process-env)",
    "src/serve/later.ts: eslint(no-warning-comments)",
    "src/serve/long.ts: eslint(max-lines)",
    "src/serve/type-one.ts: import(no-cycle)",
    "src/serve/type-two.ts: import(no-cycle)",
  ]);
});
