// The import table of ARCHITECTURE.md and the rules on files, held against the linter: each arrow that must not exist is
// planted once in an empty tree, where oxlint has to find it, and each arrow that may exist must pass.
import assert from "node:assert/strict";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { dynamic, lint, type, value } from "./lint-tree.ts";

const LAYERS = {
  kernel: "platform/kernel/tx.ts",
  config: "serve/config/config.ts",
  keyring: "platform/keyring/envelope.ts",
  store: "platform/store/database.ts",
  evaluator: "firewall/evaluator/config.ts",
  gate: "gate/message.ts",
  operations: "platform/operations/execute.ts",
  http: "serve/http-server/server.ts",
  resources: "teams/teams/service.ts",
  delivery: "events/delivery/dispatcher.ts",
  cli: "cli/output.ts",
  client: "client/client.ts",
  server: "serve/app.ts",
  commands: "cli/bodies/doctor.ts",
  backup: "serve/backup/restore.ts",
  observability: "serve/observability/readiness.ts",
  outcomes: "outcomes/failure.ts",
  contracts: "contracts.ts",
  registry: "registry.ts",
};
type Layer = keyof typeof LAYERS;

const allBut = (...layers: readonly Layer[]): readonly Layer[] =>
  (Object.keys(LAYERS) as Layer[]).filter((layer) => !layers.includes(layer));

/** What each layer may import besides itself. */
const LAYER_TABLE: readonly (readonly [Layer, readonly Layer[]])[] = [
  ["kernel", []],
  ["config", ["kernel", "keyring"]],
  ["keyring", ["kernel"]],
  ["store", ["kernel"]],
  ["evaluator", ["kernel"]],
  ["gate", ["kernel", "evaluator"]],
  ["operations", ["kernel", "store"]],
  ["http", ["kernel", "store", "operations"]],
  ["delivery", ["kernel", "store"]],
  ["outcomes", ["kernel"]],
  ["cli", ["client", "config", "kernel", "outcomes", "contracts"]],
  ["client", []],
  ["observability", allBut("server", "backup", "commands", "cli")],
  ["server", allBut("backup", "commands", "cli")],
  ["backup", allBut("commands", "cli")],
  ["commands", allBut("cli")],
  ["registry", allBut("cli")],
];

/**
 * Layers of which a layer may import no values: no program of the client gets a schema, and no command loads what another one does.
 * It may import their types, and `loads` says whether it may import them when it runs.
 */
const NO_VALUES: Readonly<Partial<Record<Layer, { readonly of: readonly Layer[]; readonly loads: boolean }>>> = {
  client: { of: ["contracts"], loads: false },
  cli: { of: ["commands", "backup", "server"], loads: true },
};

interface Row {
  readonly from: string;
  /** Paths below `src/`, but for packages and what begins with a dot. */
  readonly may: readonly string[];
  readonly mayNot: readonly string[];
}

/** Every row of the import table: what a file in that place may import, and what it may not. */
const TABLE: readonly Row[] = [
  ...LAYER_TABLE.flatMap(([layer, others]) => {
    const isAllowed = (other: Layer) => other === layer || others.includes(other);
    const all = Object.keys(LAYERS) as Layer[];
    const may = ["typebox", ...all.filter(isAllowed).map((other) => LAYERS[other])];
    const typed = NO_VALUES[layer]?.of ?? [];
    const mayNot = [
      ...all.filter((other) => !isAllowed(other) && !typed.includes(other)).map((other) => LAYERS[other]),
      "main.ts",
      "../test/harness/test-app.ts",
    ];
    const isFile = LAYERS[layer] === `${layer}.ts`;
    const places = isFile ? [""] : [`${layer}/`, `${layer}/deeper/`];
    return places.map((place) => ({ from: `${place}plant.ts`, may, mayNot }));
  }),
  {
    from: "../console/pages/plants/plant.ts",
    may: [
      "client/error.ts",
      "platform/kernel/roles.ts",
      "firewall/evaluator/config.ts",
      "firewall/evaluator/condition-types.ts",
      "../console/routes.ts",
    ],
    mayNot: ["platform/kernel/errors.ts", "teams/teams/contract.ts", "platform/http/route.ts", "../test/harness/test-app.ts"],
  },
  {
    from: "resources/plants/contract.ts",
    may: [
      "platform/kernel/contract.ts",
      "firewall/evaluator/decision.ts",
      "events/queue/vocabulary.ts",
      "teams/teams/contract.ts",
      "resources/plants/plant-schema.ts",
      "teams/teams/team-schema.ts",
      "events/webhooks/deliveries/delivery-schema.ts",
    ],
    mayNot: [
      "resources/plants/store.ts",
      "resources/plants/service.ts",
      "teams/teams/store.ts",
      "teams/teams/service.ts",
      "firewall/evaluator/evaluator.ts",
      "events/queue/queue.ts",
      "platform/store/tables/tables.ts",
      "platform/http/route.ts",
      "registry.ts",
      "main.ts",
    ],
  },
  {
    from: "resources/plants/rules.ts",
    may: ["platform/kernel/errors.ts", "firewall/evaluator/evaluator.ts", "resources/plants/contract.ts"],
    mayNot: [
      "resources/plants/store.ts",
      "resources/plants/service.ts",
      "teams/teams/contract.ts",
      "resources/teams/rules.ts",
      "platform/store/tables/tables.ts",
      "platform/http/route.ts",
      "registry.ts",
      "main.ts",
    ],
  },
  {
    from: "resources/plants/store.ts",
    may: ["platform/kernel/tx.ts", "platform/store/prepared.ts", "resources/plants/contract.ts"],
    mayNot: [
      "resources/plants/service.ts",
      "resources/plants/rules.ts",
      "teams/teams/store.ts",
      "teams/teams/contract.ts",
      "teams/teams/service.ts",
      "platform/http/route.ts",
      "registry.ts",
      "main.ts",
    ],
  },
  {
    from: "resources/plants/service.ts",
    may: [
      "platform/kernel/errors.ts",
      "resources/plants/contract.ts",
      "resources/plants/rules.ts",
      "resources/plants/store.ts",
      "events/events/emit.ts",
    ],
    mayNot: [
      "teams/teams/store.ts",
      "secrets/secrets/versions/versions-store.ts",
      "platform/http/route.ts",
      "platform/operations/execute.ts",
      "events/delivery/dispatcher.ts",
      "events/queue/queue.ts",
      "registry.ts",
      "main.ts",
    ],
  },
  {
    from: "resources/plants/deeper/store.ts",
    may: ["platform/kernel/tx.ts", "platform/store/prepared.ts", "resources/plants/contract.ts"],
    mayNot: ["resources/plants/service.ts", "resources/teams/deeper/store.ts"],
  },
  {
    from: "resources/webhooks/plant.ts",
    may: ["events/queue/queue.ts", "events/queue/queue-store.ts"],
    mayNot: ["events/delivery/dispatcher.ts", "platform/egress/egress.ts"],
  },
  {
    from: "delivery/queue/plant.ts",
    may: ["platform/kernel/tx.ts", "platform/store/prepared.ts", "events/events/emit.ts"],
    mayNot: [
      "events/events/store.ts",
      "events/mails/outbox.ts",
      "events/webhooks/service.ts",
      "events/delivery/dispatcher.ts",
      "platform/http/route.ts",
      "registry.ts",
    ],
  },
  {
    from: "delivery/plant.ts",
    may: ["events/events/types.ts", "events/mails/outbox.ts", "events/webhooks/rules.ts"],
    mayNot: ["secrets/secrets/value.ts"],
  },
];

/** One file per arrow; every row and arrow in a folder of its own where the file's name counts. */
function plant(kind: "may" | "mayNot", write: (path: string) => string): Record<string, string> {
  const files: Record<string, string> = {};
  TABLE.forEach((row, at) => {
    row[kind].forEach((path, index) => {
      const own = (name: string) => name.replace("resources/plants/", `resources/plants-${at}-${index}/`);
      const from = join("src", own(row.from).replace("plant.ts", `plant-${at}-${index}.ts`));
      files[from] = write(path === "typebox" ? path : relativeImport(dirname(from), join("src", own(path))));
    });
  });
  return files;
}

function relativeImport(from: string, to: string): string {
  const path = relative(from, to);
  return path.startsWith(".") ? path : `./${path}`;
}

test("the linter refuses every arrow that the import table does not have", () => {
  for (const write of [value, type, dynamic]) {
    const files = plant("mayNot", write);
    const findings = lint(files);
    const missed = Object.keys(files).filter((name) => !findings.has(`${name}: reeve(import-boundaries)`));
    assert.deepEqual(
      missed.map((name) => `${name}: ${files[name]?.split("\n")[0]}`),
      [],
    );
  }
});

test("the linter lets every arrow of the import table pass", () => {
  assert.deepEqual([...lint(plant("may", value))], []);
});

test("a service may import the store's types and none of its values", () => {
  const from = "src/resources/plants/service.ts";
  assert.deepEqual([...lint({ [from]: type("../../store/database.ts") })], []);
  assert.deepEqual([...lint({ [from]: value("../../store/database.ts") })], [`${from}: reeve(import-boundaries)`]);
});

test("of some layers another may import types, or load them, and import no values", () => {
  const plants = (write: (path: string) => string, isRefused: (loads: boolean) => boolean) => {
    const all = Object.entries(NO_VALUES).flatMap(([layer, { of, loads }]) =>
      of.map((other) => ({ loads, name: `src/${layer}/of-${other}.ts`, text: write(`../${LAYERS[other]}`) })),
    );
    return {
      files: Object.fromEntries(all.map(({ name, text }) => [name, text])),
      refused: all.flatMap(({ name, loads }) => (isRefused(loads) ? [`${name}: reeve(import-boundaries)`] : [])),
    };
  };
  for (const { files, refused } of [
    plants(type, () => false),
    plants(dynamic, (loads) => !loads),
    plants(value, () => true),
  ]) {
    assert.deepEqual([...lint(files)].toSorted(), refused.toSorted());
  }
});

test("the linter refuses each rule on files when it is broken", () => {
  const planted = {
    "src/cycle-one.ts": 'import { two } from "./cycle-two.ts";\nexport const one = (): unknown => two;\n',
    "src/cycle-two.ts": 'import { one } from "./cycle-one.ts";\nexport const two = (): unknown => one;\n',
    "src/type-one.ts": 'import type { Two } from "./type-two.ts";\nexport type One = readonly Two[];\n',
    "src/type-two.ts": 'import type { One } from "./type-one.ts";\nexport type Two = { readonly one: One };\n',
    "src/default.ts": "const thing = 1;\nexport default thing;\n",
    "src/long.ts": "export const line = 1;\n".padEnd(23 + 300, "\n"),
    "src/environment.ts": 'export const home = process.env["HOME"];\n',
    "src/later.ts": "// TO\u0044O: finish\nexport const later = 1;\n",
  };
  const findings = lint(planted);
  assert.deepEqual([...findings].toSorted(), [
    "src/cycle-one.ts: import(no-cycle)",
    "src/cycle-two.ts: import(no-cycle)",
    "src/default.ts: import(no-default-export)",
    "src/environment.ts: node(no-process-env)",
    "src/later.ts: eslint(no-warning-comments)",
    "src/long.ts: eslint(max-lines)",
    "src/type-one.ts: import(no-cycle)",
    "src/type-two.ts: import(no-cycle)",
  ]);
});
