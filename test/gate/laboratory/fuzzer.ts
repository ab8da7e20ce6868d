// The laboratory on fresh seeds, for `npm run fuzz`: its programs end with a process of their own.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Fuzzer } from "../../fuzz/fuzzer.ts";

const FILE = join(import.meta.dirname, "laboratory.test.ts");

export const laboratoryFuzzer: Fuzzer = {
  unit: "requests",
  async run(seed, leftMs) {
    const environment = { ...process.env, LABORATORY_SEED: String(seed), LABORATORY_MS: String(Math.round(leftMs)) };
    const child = spawn(process.execPath, ["--test", "--test-isolation=none", "--test-reporter=spec", FILE], {
      env: environment,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
    const [output, code] = await Promise.all([text(child.stdout), ended]);
    const count = Number(/^counts: (\d+)/m.exec(output)?.[1] ?? 0);
    return { count, failure: code === 0 ? null : output };
  },
};
