// Every example of a command of the table is run against a server: it is understood, and at most something that it names is not there.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CONTRACTS } from "../../src/contracts.ts";
import type { Endpoint } from "../../src/platform/kernel/contract.ts";
import { RESOURCES } from "../../src/cli/resources/resources.ts";
import { runReeve } from "./in-process.ts";
import { startRemoteWorld } from "./remote-world.ts";

const { remote: REMOTE, folder, flags } = await startRemoteWorld();
const run = async (words: readonly string[]) => await runReeve(words, flags, REMOTE, { cwd: folder });

const ENDPOINTS: Readonly<Record<string, Endpoint>> = Object.assign({}, ...CONTRACTS);

/** The words of a line, as a shell reads them; what is written to a file is printed. */
const wordsOf = (line: string) =>
  [...line.replace(/ > \S+$/, "").matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word).slice(1);

const examples = RESOURCES.flatMap(({ commands }) =>
  Object.values(commands).flatMap((row) => ("load" in row ? [] : row.examples.map((line) => ({ line, row })))),
);

/** What an example names need not be there. */
const ABSENT =
  /not found|there is no |Nobody with this id|no event is called|has no team|there is a project of this name/;

test("each example is understood by the command line and the API", async () => {
  assert.ok(examples.length > 100);
  for (const { line, row } of examples) {
    const words = wordsOf(line);
    // An example before this one may have deleted them.
    if (line.includes("acme") && !line.includes("create acme")) {
      await run(["teams", "create", "acme"]);
      await run(["projects", "create", "shop", "--team", "acme"]);
    }
    const at = words.indexOf("--input") + 1;
    if (at > 0) {
      words[at] = join(folder, words[at] as string);
      writeFileSync(words[at], JSON.stringify(ENDPOINTS[row.operation]?.example?.body));
    }
    const asks = row.confirm !== undefined && !words.includes("--dry-run") && !words.includes("--yes");
    const { code, stderr } = await run(asks ? [...words, "--yes"] : words);
    assert.ok(code === 0 || ([3, 6, 7].includes(Number(code)) && ABSENT.test(stderr)), `${line}: ${code}: ${stderr}`);
  }
});
