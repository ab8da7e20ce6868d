// The import table of ARCHITECTURE.md and the rules on files, held against the linter: each arrow that must not exist is
// planted once in an empty tree, where oxlint has to find it, and each arrow that may exist must pass.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "reeve-architecture-"));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Finding {
  readonly code: string;
  readonly filename: string;
}

/** Lints a tree that consists of the given files and answers `file: rule` of every finding. */
function lint(files: Readonly<Record<string, string>>): Set<string> {
  const tree = mkdtempSync(join(folder, "tree-"));
  copyFileSync(join(root, ".oxlintrc.json"), join(tree, ".oxlintrc.json"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, name)), { recursive: true });
    writeFileSync(join(tree, name), text);
  }
  const oxlint = join(root, "node_modules/oxlint/bin/oxlint");
  const { stdout, stderr } = spawnSync(process.execPath, [oxlint, "--format", "json"], { cwd: tree, encoding: "utf8" });
  assert.ok(stdout.startsWith("{"), `oxlint did not run: ${stdout}${stderr}`);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: readonly Finding[] };
  return new Set(diagnostics.map(({ code, filename }) => `${filename}: ${code}`));
}

const value = (path: string) => `import { thing } from "${path}";\nexport const copy = thing;\n`;
const type = (path: string) => `import type { Thing } from "${path}";\nexport type Copy = Thing;\n`;

/** Every row of the import table: what a file in that place may import, and what it may not. */
const TABLE: readonly { readonly from: string; readonly may: readonly string[]; readonly mayNot: readonly string[] }[] =
  [
    {
      from: "src/kernel/plant.ts",
      may: ["./errors.ts", "typebox"],
      mayNot: [
        "../store/database.ts",
        "../http/server.ts",
        "../resources/teams/rules.ts",
        "../config.ts",
        "../runtime/app.ts",
        "../main.ts",
      ],
    },
    {
      from: "src/store/plant.ts",
      may: ["./database.ts", "./migrations/0001-foundation.ts", "../kernel/tx.ts"],
      mayNot: [
        "../http/perform.ts",
        "../resources/teams/contract.ts",
        "../catalogue.ts",
        "../runtime/app.ts",
        "../main.ts",
      ],
    },
    {
      from: "src/keyring/plant.ts",
      may: ["./envelope.ts", "../kernel/keyring.ts"],
      mayNot: [
        "../store/database.ts",
        "../resources/secrets/value.ts",
        "../config.ts",
        "../runtime/app.ts",
        "../main.ts",
      ],
    },
    {
      from: "src/evaluator/plant.ts",
      may: ["./config.ts", "./managed/owasp.ts", "../kernel/network.ts"],
      mayNot: [
        "../store/database.ts",
        "../resources/firewall/contract.ts",
        "../config.ts",
        "../runtime/app.ts",
        "../main.ts",
      ],
    },
    {
      from: "src/evaluator/managed/plant.ts",
      may: ["../config.ts", "../../kernel/network.ts"],
      mayNot: ["../../store/database.ts", "../../resources/firewall/contract.ts", "../../config.ts"],
    },
    {
      from: "src/store/migrations/plant.ts",
      may: ["../migrate.ts", "../../kernel/tx.ts"],
      mayNot: ["../../http/perform.ts", "../../resources/teams/contract.ts", "../../catalogue.ts", "../../main.ts"],
    },
    {
      from: "src/resources/plants/contract.ts",
      may: ["../../kernel/contract.ts", "../teams/contract.ts", "./plant-schema.ts", "../teams/team-schema.ts"],
      mayNot: [
        "./store.ts",
        "./service.ts",
        "../teams/store.ts",
        "../teams/service.ts",
        "../../store/tables.ts",
        "../../http/route.ts",
        "../../catalogue.ts",
        "../../main.ts",
      ],
    },
    {
      from: "src/resources/plants/rules.ts",
      may: ["../../kernel/errors.ts", "./contract.ts"],
      mayNot: [
        "./store.ts",
        "./service.ts",
        "../teams/contract.ts",
        "../teams/rules.ts",
        "../../store/tables.ts",
        "../../http/route.ts",
        "../../catalogue.ts",
        "../../main.ts",
      ],
    },
    {
      from: "src/resources/plants/store.ts",
      may: ["../../kernel/tx.ts", "../../store/prepared.ts", "./contract.ts"],
      mayNot: [
        "./service.ts",
        "./rules.ts",
        "../teams/store.ts",
        "../teams/contract.ts",
        "../teams/service.ts",
        "../../http/route.ts",
        "../../catalogue.ts",
        "../../main.ts",
      ],
    },
    {
      from: "src/resources/plants/service.ts",
      may: ["../../kernel/errors.ts", "./contract.ts", "./rules.ts", "./store.ts", "../events/emit.ts"],
      mayNot: [
        "../teams/store.ts",
        "../../http/route.ts",
        "../../delivery/dispatcher.ts",
        "../../catalogue.ts",
        "../../main.ts",
      ],
    },
    {
      from: "src/http/plant.ts",
      may: ["./route.ts", "../kernel/errors.ts", "../store/database.ts"],
      mayNot: ["../resources/teams/service.ts", "../delivery/dispatcher.ts", "../catalogue.ts", "../main.ts"],
    },
    {
      from: "src/delivery/plant.ts",
      may: [
        "../kernel/clock.ts",
        "../store/database.ts",
        "../resources/events/types.ts",
        "../resources/mails/outbox.ts",
        "../resources/webhooks/rules.ts",
      ],
      mayNot: ["../resources/teams/service.ts", "../http/server.ts", "../catalogue.ts", "../main.ts"],
    },
    {
      from: "src/cli/plant.ts",
      may: ["./output.ts", "../kernel/errors.ts", "../contracts.ts"],
      mayNot: [
        "../store/database.ts",
        "../http/server.ts",
        "../resources/teams/service.ts",
        "../catalogue.ts",
        "../main.ts",
      ],
    },
    {
      from: "src/runtime/plant.ts",
      may: ["./app.ts", "../catalogue.ts", "../http/server.ts", "../resources/teams/service.ts", "../cli/reeve.ts"],
      mayNot: ["../main.ts", "../../test/harness.ts", "../../bench/run.ts"],
    },
    {
      from: "src/plant.ts",
      may: [
        "./catalogue.ts",
        "./http/server.ts",
        "./resources/teams/service.ts",
        "./store/migrate.ts",
        "./cli/output.ts",
        "./runtime/app.ts",
      ],
      mayNot: ["./main.ts", "../test/harness.ts", "../bench/run.ts"],
    },
  ];

/** One file per arrow, since a file that breaks a rule twice shows no more than one that breaks it once. */
function plant(kind: "may" | "mayNot", write: (path: string) => string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const row of TABLE) {
    row[kind].forEach((path, index) => {
      // A slice's own file names decide what it may import, so copies go to folders of their own.
      const from = row.from.startsWith("src/resources/")
        ? row.from.replace("/plants/", `/plants-${index}/`)
        : row.from.replace("plant.ts", `plant-${index}.ts`);
      files[from] = write(path);
    });
  }
  return files;
}

test("the linter refuses every arrow that the import table does not have", () => {
  for (const write of [value, type]) {
    const files = plant("mayNot", write);
    const findings = lint(files);
    const missed = Object.keys(files).filter((name) => !findings.has(`${name}: eslint(no-restricted-imports)`));
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
  assert.deepEqual([...lint({ [from]: value("../../store/database.ts") })], [`${from}: eslint(no-restricted-imports)`]);
});

test("the linter refuses each rule on files when it is broken", () => {
  const planted = {
    "src/cycle-one.ts": 'import { two } from "./cycle-two.ts";\nexport const one = (): unknown => two;\n',
    "src/cycle-two.ts": 'import { one } from "./cycle-one.ts";\nexport const two = (): unknown => one;\n',
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
  ]);
});

const sources = globSync(["src/**/*.ts", "test/**/*.ts", "bench/**/*.ts"], {
  cwd: root,
  exclude: ["**/node_modules/**"],
}).map((name) => ({ name, text: readFileSync(join(root, name), "utf8") }));

/** Names of the files whose text matches, among those that `isMeant` selects. */
function filesWith(pattern: RegExp, isMeant: (name: string) => boolean = () => true): string[] {
  return sources.filter(({ name, text }) => isMeant(name) && pattern.test(text)).map(({ name }) => name);
}

function isInLayer(name: string): boolean {
  return /^src\/(?:kernel|keyring|store|resources|http|delivery)\//.test(name);
}

test("no file only hands on what others export", () => {
  assert.deepEqual(filesWith(/^export\s+(?:type\s+)?(?:\*|\{[^}]*\}\s+from\b)/m), []);
  assert.deepEqual(
    sources.filter(({ name }) => name.endsWith("/index.ts")).map(({ name }) => name),
    [],
  );
});

test("no rule of the import table is evaded by a dynamic import or an exempting comment", () => {
  // Only in a slice the table also says which of its own files may import which.
  const isInSlice = (name: string) => name.startsWith("src/resources/");
  assert.deepEqual(filesWith(/\bimport\(\s*["'`]\./, isInSlice), []);
  assert.deepEqual(filesWith(/\bimport\(\s*["'`](?!\.\/[\w-]+\.ts["'])\./, isInLayer), []);
  assert.deepEqual(
    filesWith(/(?:oxlint|eslint)-disable.*(?:no-restricted-imports|no-cycle|max-lines|no-process-env)/),
    [],
  );
  assert.deepEqual(filesWith(/(?:oxlint|eslint)-disable\s*(?:\*\/|$)/m), []);
});

test("only config.ts reads the environment", () => {
  assert.deepEqual(
    filesWith(/process\s*\.\s*env\b|process\[["']env/, (name) => /^src\/(?!config\.ts$).*(?<!\.test\.ts)$/.test(name)),
    [],
  );
});

test("no test is skipped, focused or left for later", () => {
  assert.deepEqual(
    filesWith(/\b(?:test|it|describe)\.(?:skip|only|todo)\b|\b(?:skip|todo): true/, (name) =>
      name.endsWith(".test.ts"),
    ),
    [],
  );
});
