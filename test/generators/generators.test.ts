// What generators of clients make of openapi.json compiles in strict mode, has no name that only a number tells apart from another, and
// calls a server. Each of them reads the document in its own way; the newest release of each runs unmodified.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { build } from "esbuild";
import { startOwnApp, uniqueName } from "../harness/test-app.ts";
import { PROGRAMS } from "./clients.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const DOCUMENT = join(root, "openapi.json");
const modules = join(import.meta.dirname, "node_modules");
const out = await mkdtemp(join(tmpdir(), "reeve generators "));
after(async () => await rm(out, { recursive: true }));

/** Runs a program of the folder; fails with what it printed. */
async function generate(program: string, ...args: string[]): Promise<void> {
  const path = `${join(process.execPath, "..")}:${process.env["PATH"]}`;
  const env = { ...process.env, PATH: path, DO_NOT_TRACK: "1", KUBB_DISABLE_TELEMETRY: "1" };
  await run(join(modules, ".bin", program), args, { cwd: out, env }).catch(
    (error: { stdout: string; stderr: string }) => {
      assert.fail(`${program}: ${error.stdout}${error.stderr}`);
    },
  );
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
    skipLibCheck: true,
  },
  include: ["**/*.ts"],
};

const KUBB = `
import { defineConfig } from "@kubb/core";
import { pluginClient } from "@kubb/plugin-client";
import { pluginOas } from "@kubb/plugin-oas";
import { pluginTs } from "@kubb/plugin-ts";
export default defineConfig({
  root: ".",
  input: { path: ${JSON.stringify(DOCUMENT)} },
  output: { path: "kubb", extension: { ".ts": ".ts" }, format: false, lint: false },
  plugins: [pluginOas({ generators: [] }), pluginTs(), pluginClient({ client: "fetch" })],
});
`;

before(async () => {
  await symlink(modules, join(out, "node_modules"));
  await Promise.all([
    writeFile(join(out, "tsconfig.json"), JSON.stringify(TSCONFIG)),
    writeFile(join(out, "kubb.config.mjs"), KUBB),
    ...Object.entries(PROGRAMS).map(([name, text]) => writeFile(join(out, `${name}-calls.ts`), text)),
  ]);
  await Promise.all([
    generate("openapi-typescript", DOCUMENT, "-o", join(out, "openapi-typescript.ts")),
    generate("openapi-ts", "-i", DOCUMENT, "-o", join(out, "hey-api"), "-c", "@hey-api/client-fetch"),
    generate("orval", "--input", DOCUMENT, "--output", join(out, "orval.ts"), "--client", "fetch"),
    generate("openapi-zod-client", DOCUMENT, "-o", join(out, "zod.ts"), "--with-alias"),
    generate("oazapfts", DOCUMENT, join(out, "oazapfts.ts")),
    generate("kubb", "generate", "--config", join(out, "kubb.config.mjs")),
  ]);
});

test("the clients compile in strict mode, and know what calls take and return", async () => {
  const compiler = join(root, "node_modules/.bin/tsc");
  await run(compiler, ["-p", out], { maxBuffer: 10_000_000 }).catch(({ stdout }: { stdout: string }) => {
    assert.fail(stdout.slice(0, 4_000));
  });
});

test("no name is told apart by a number alone", async () => {
  const files = (await readdir(out, { recursive: true })).filter((file) => /^(?!node_modules|kubb).*\.ts$/.test(file));
  // kubb names each closed list by its member, and numbers those of one name.
  for (const file of files) {
    const text = await readFile(join(out, file), "utf8");
    const names = text.matchAll(/^export (?:type|interface|const|(?:async )?function) (\w*[a-z]\d{1,2})\b/gm);
    assert.deepEqual(
      Array.from(names, ([, name]) => name),
      [],
      file,
    );
  }
});

for (const name of Object.keys(PROGRAMS)) {
  test(`${name}: ten calls to a server`, async () => {
    const { app, createUser } = await startOwnApp({ egressAllow: "127.0.0.1" });
    await app.server.listen({ host: "127.0.0.1", port: 0 });
    const { port } = app.server.server.address() as AddressInfo;
    const { username, token } = await createUser();
    const outfile = join(out, `${name}.mjs`);
    await build({
      entryPoints: [join(out, `${name}-calls.ts`)],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
    });
    const slug = uniqueName("generated");
    const program = `import(process.argv[1]).then(async ({ run }) => console.log(JSON.stringify(await run(...process.argv.slice(2)))))`;
    const { stdout } = await run(process.execPath, ["-e", program, outfile, `http://127.0.0.1:${port}`, token, slug]);
    assert.deepEqual(JSON.parse(stdout), [
      username,
      slug,
      slug,
      "Renamed",
      1,
      "DATABASE_URL",
      "DATABASE_URL",
      "team-*",
      true,
      true,
    ]);
  });
}
