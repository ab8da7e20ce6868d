// What generators of clients make of openapi.json compiles, and its types know the responses. Each of them reads the document
// in its own way; the newest release of each runs unmodified.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const DOCUMENT = join(root, "openapi.json");
const programs = join(import.meta.dirname, "node_modules/.bin");
const out = await mkdtemp(join(tmpdir(), "reeve generators "));
after(async () => await rm(out, { recursive: true }));

/** Runs a program of the folder; fails with what it printed. */
async function generate(program: string, ...args: string[]): Promise<void> {
  const env = { ...process.env, PATH: `${join(process.execPath, "..")}:${process.env["PATH"]}`, DO_NOT_TRACK: "1" };
  await run(join(programs, program), args, { cwd: out, env }).catch((error: { stdout: string; stderr: string }) => {
    assert.fail(`${program}: ${error.stdout}${error.stderr}`);
  });
}

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    module: "preserve",
    target: "esnext",
    lib: ["esnext", "dom", "dom.iterable"],
    types: [],
    allowImportingTsExtensions: true,
  },
  include: ["**/*.ts"],
};

/** Takes a response of each client apart: where a generator lost its type, this does not compile. */
const USE = `
import type { components, paths } from "./openapi-typescript.ts";
import { getTeam, listTeams } from "./hey-api/index.ts";
import { getTeam as getTeamByOrval } from "./orval.ts";
import type { EventList } from "./orval.ts";

type Answer = paths["/v3/events"]["get"]["responses"]["200"]["content"]["application/json"];
export const isSame = (answer: Answer): components["schemas"]["EventList"] => answer;
export const idOf = (list: EventList): string | undefined => list.events[0]?.id;

export async function slugs(): Promise<string[]> {
  const team = await getTeam({ path: { teamId: "acme" } });
  const other = await getTeamByOrval("acme");
  const { data } = await listTeams({ query: { limit: 10 } });
  const list: { slug: string }[] = data?.teams ?? [];
  const slug: string = other.status === 200 ? other.data.slug : "";
  return [team.data?.slug ?? "", slug, ...list.map((one) => one.slug)];
}
`;

before(async () => {
  await Promise.all([
    generate("openapi-typescript", DOCUMENT, "-o", join(out, "openapi-typescript.ts")),
    generate("openapi-ts", "-i", DOCUMENT, "-o", join(out, "hey-api"), "-c", "@hey-api/client-fetch"),
    generate("orval", "--input", DOCUMENT, "--output", join(out, "orval.ts"), "--client", "fetch"),
    writeFile(join(out, "tsconfig.json"), JSON.stringify(TSCONFIG)),
    writeFile(join(out, "use.ts"), USE),
  ]);
});

test("openapi-typescript, @hey-api/openapi-ts and orval generate clients that compile and know the responses", async () => {
  const compiler = join(root, "node_modules/.bin/tsc");
  await run(compiler, ["-p", out], { maxBuffer: 10_000_000 }).catch(({ stdout }: { stdout: string }) => {
    assert.fail(stdout.slice(0, 4_000));
  });
});
