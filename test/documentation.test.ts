// The written documentation, held against the code: the files, functions and commands that it names exist.
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Visitor, parseSync } from "oxc-parser";
import { HEALTH_CHECKS } from "../src/serve/observability/health-checks.ts";
import { LIMITS } from "../src/firewall/configurations/config-schema.ts";
import { readTable } from "./harness/recorded-table.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const pages = globSync(["*.md", "decisions/*.md", "docs/*.md", "src/**/*.md"], { cwd: root }).map((name) => ({
  name,
  text: readFileSync(join(root, name), "utf8"),
}));
const files = globSync(["{src,test,bench,tools}/**/*.ts", "console/**/*.{ts,tsx}"], {
  cwd: root,
  exclude: ["**/node_modules/**"],
});
const code = [...files, "package.json"].map((name) => readFileSync(join(root, name), "utf8")).join("\n");

/** All `code` in running text; the blocks are examples. */
function codeIn(text: string): string[] {
  return [...text.replace(/^```[^]*?^```/gm, "").matchAll(/`([^`\n]+)`/g)].map(([, inner = ""]) => inner);
}

/** The sentences of running text, not of code blocks, comments, tables and headings. A code span is one word. */
function sentencesIn(text: string): string[] {
  const prose = text
    .replace(/```[^]*?```|<!--[^]*?-->/g, "")
    .split("\n")
    .filter((line) => !/^(?:\s*\||#)/.test(line))
    .join("\n");
  const blocks = prose.split(/\n\s*\n|\n\s*(?:[-*]|\d+[.)]) /);
  return blocks.flatMap((block) => {
    const words = block.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/`[^`]*`/g, "`…`");
    return words.replaceAll("\n", " ").split(/(?<=[.!?:])[*_)]*\s+/);
  });
}

type Span = Readonly<Record<"start" | "end", number>>;

/** The texts and patterns that the tests of a file assert or wait for, without titles and messages. */
function expectationsIn(text: string): string[] {
  const [tests, expected]: [Span[], Span[]] = [[], []];
  const found: string[] = [];
  const isIn = ({ start, end }: Span, spans: readonly Span[]) =>
    spans.some((one) => one.start <= start && end <= one.end);
  new Visitor({
    CallExpression(call) {
      const called = text.slice(call.callee.start, call.callee.end);
      if (called === "test") tests.push(call);
      const [from, to] = called === "waitFor" ? [1] : [0, called === "assert.ok" ? 1 : 2];
      if (/^waitFor$|assert|until/i.test(called) && isIn(call, tests)) expected.push(...call.arguments.slice(from, to));
    },
    Literal(literal) {
      if (isIn(literal, expected)) found.push(text.slice(literal.start, literal.end));
    },
  }).visit(parseSync("test.ts", text).program);
  return found;
}

function problems(find: (text: string, name: string) => readonly string[]): string[] {
  return pages.flatMap(({ name, text }) => find(text, name).map((problem) => `${name}: ${problem}`));
}

test("every source file that the documentation names exists", () => {
  // A slice's files are named without their folder.
  const isKnown = (path: string) => files.some((file) => file === path || file.endsWith(`/${path}`));
  const named = (text: string) => codeIn(text).filter((word) => /^[\w./-]+\.ts$/.test(word));
  assert.deepEqual(
    problems((text) => named(text).filter((path) => !isKnown(path))),
    [],
  );
  assert.ok(pages.some(({ text }) => named(text).length > 10));
});

test("every risk of SECURITY.md's table has tests that show what is done about it", () => {
  const { text } = pages.find(({ name }) => name === "SECURITY.md") as { text: string };
  const rows = text.split("\n").filter((line) => /^\| API\d/.test(line));
  assert.equal(rows.length, 10);
  for (const row of rows) {
    const shown = codeIn(row.split("|")[3] ?? "");
    assert.ok(shown.length > 0, row);
    for (const path of shown) assert.ok(path.endsWith(".test.ts") && existsSync(join(root, path)), `${row}: ${path}`);
  }
});

test("every code of readiness has an entry in the runbook, with a test that meets the fault itself", () => {
  const { text } = pages.find(({ name }) => name === "docs/runbook.md") as { text: string };
  const entries = text.split("\n").filter((line) => /^\| `[a-z]/.test(line));
  const shownBy = new Map(entries.map((line) => [codeIn(line)[0], codeIn(line).at(-1) as string]));
  assert.deepEqual([...shownBy.keys()], Object.keys(HEALTH_CHECKS));
  for (const [check = "", path] of shownBy) {
    const expected = expectationsIn(readFileSync(join(root, path), "utf8"));
    assert.ok(
      expected.some((one) => new RegExp(`\\b${check}\\b`).test(one)),
      `no test in ${path} expects ${check}`,
    );
  }
});

test("an expectation is what a test of the file asserts or waits for, not its title or a comment", () => {
  const shown = expectationsIn(`
    // told
    const told = "told";
    test("told", async () => {
      await waitFor("told", () => read().includes("waited"));
      console.log("told");
      assert.equal(read(), "asserted", "told");
      await until(server, /"read"/);
    });
    assert.equal(told, "told");`);
  assert.deepEqual(shown, ['"waited"', '"asserted"', '/"read"/']);
});

test("every alert has an entry in the runbook, and fires in a fault that a test records", () => {
  const alerts = [...readFileSync(join(root, "deploy/prometheus-alerts.yml"), "utf8").matchAll(/- alert: (\w+)/g)].map(
    ([, alert]) => alert as string,
  );
  const { text } = pages.find(({ name }) => name === "docs/runbook.md") as { text: string };
  const entries = text.split("\n").filter((line) => line.startsWith("| `Reeve"));
  assert.deepEqual(
    entries.map((line) => codeIn(line)[0]),
    alerts,
  );
  const rows = ["alerts", "background-alerts"].flatMap((table) => readTable("observability.md", table));
  const firing = new Set(rows.flatMap(([, cell = ""]) => codeIn(cell)));
  assert.deepEqual(
    alerts.filter((alert) => !firing.has(alert)),
    readTable("observability.md", "unrecorded-alerts").flatMap(([cell = ""]) => codeIn(cell)),
  );
});

test("every function that ARCHITECTURE.md, decisions/ and the READMEs of src/ name exists", () => {
  const named = (text: string) => codeIn(text).filter((word) => /^[a-z]+[A-Z]\w*$/.test(word));
  const isKnown = (word: string) => new RegExp(`\\b${word}\\b`).test(code);
  assert.deepEqual(
    problems((text, name) => (/^(?:ARCH|dec|src)/.test(name) ? named(text).filter((word) => !isKnown(word)) : [])),
    [],
  );
});

test("README.md and ARCHITECTURE.md stay short: what is about one subject has a page of its own", () => {
  const limits = { "README.md": 12 * 1024, "ARCHITECTURE.md": 16 * 1024 };
  for (const [name, limit] of Object.entries(limits)) {
    const bytes = Buffer.byteLength(readFileSync(join(root, name)));
    assert.ok(bytes <= limit, `${name} has ${bytes} bytes, expected ${limit} at most`);
  }
});

test("no sentence of the documentation has more than 30 words", () => {
  const wordsOf = (sentence: string) => sentence.trim().split(/\s+/).length;
  const isMeant = (name: string) => /^(?!CHANGELOG)(?:docs\/|\w+\.md$)/.test(name);
  assert.deepEqual(
    problems((text, name) => (isMeant(name) ? sentencesIn(text).filter((sentence) => wordsOf(sentence) > 30) : [])),
    [],
  );
  assert.ok(pages.some(({ name, text }) => isMeant(name) && sentencesIn(text).length > 100));
});

test("every link between pages leads somewhere", () => {
  const targets = (text: string) => [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = ""]) => target);
  assert.deepEqual(
    problems((text, name) => targets(text).filter((target) => !existsSync(join(root, dirname(name), target)))),
    [],
  );
});

test("every npm script that the documentation names exists", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
  const named = (text: string) => [...text.matchAll(/npm run (?:--silent )?([\w-]+)/g)].map(([, name = ""]) => name);
  assert.deepEqual(
    problems((text) => named(text).filter((name) => !(name in scripts))),
    [],
  );
});

test("decisions are numbered without gaps, and each says context, choice and price", () => {
  const decisions = pages
    .filter(({ name }) => name.startsWith("decisions/"))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  decisions.forEach(({ name, text }, index) => {
    assert.ok(name.startsWith(`decisions/${String(index + 1).padStart(4, "0")}-`), name);
    assert.ok(text.startsWith(`# ${index + 1}. `), name);
    for (const part of ["Context", "Choice", "Price"]) assert.ok(text.includes(`**${part}.**`), `${name}: ${part}`);
  });
});

test("the firewall's page names the limits that are kept", () => {
  const page = readFileSync(join(root, "docs/firewall.md"), "utf8");
  const { rules, addresses, sharedConditions, groups, conditions, values, documentBytes, ...lengths } = LIMITS;
  const { valueLength, patternLength, nameLength, descriptionLength, notesLength } = lengths;
  const rows = [
    [rules, addresses, sharedConditions],
    [groups, conditions, values],
    [valueLength, patternLength],
    [nameLength, descriptionLength, notesLength],
    [documentBytes],
  ];
  for (const row of rows) {
    const text = row.map((limit) => limit.toLocaleString("en").replaceAll(",", " ")).join(", ");
    assert.ok(page.includes(`| ${text}`), text);
  }
});

test("every package that the program loads has its line in decisions/0007, and no line is of another", () => {
  const sources = globSync("src/**/*.ts", { cwd: root, exclude: ["**/*.test.ts"] });
  const loaded = sources.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return [...text.matchAll(/(?:from |import\(|require\()"((?:@[^/"]+\/)?[^./"@][^/"]*)/g)].map(
      ([, name = ""]) => name,
    );
  });
  const packages = new Set(loaded.filter((name) => !name.startsWith("node:")));
  const page = readFileSync(join(root, "decisions/0007-dependencies.md"), "utf8");
  const lines = [...page.matchAll(/^\| `([^`]+)`/gm)].map(([, name = ""]) => name);
  // Of one organisation's, one line is enough.
  const names = [...packages].map((name) => (lines.includes(name) ? name : name.replace(/\/.*/, "/*")));
  assert.deepEqual([...new Set(names)].toSorted(), lines.toSorted());
});

test("no page has marks of a merge", () => {
  assert.deepEqual(
    problems((text) => text.match(/^(?:<{7}|={7}$|>{7})|(?:> ){7}/gm) ?? []),
    [],
  );
});
