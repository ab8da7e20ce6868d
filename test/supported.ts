// `npm run supported`: runs what proves SUPPORTED.md and writes it. Fails, and writes nothing, when a claim is untrue.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEvidence } from "./evidence.ts";
import { SPECIFICATION } from "./supported/claims.ts";
import { SUPPORTED_FILE, renderSupported } from "./supported/table.ts";

const folder = mkdtempSync(join(tmpdir(), "reeve-evidence-"));
try {
  const files = ["test/catalogue/answers", "test/clients/", ...new Set(SPECIFICATION.map(({ file }) => file))];
  const { status } = spawnSync(process.execPath, ["test/run.ts", "--engine", "sqlite", ...files], {
    env: { ...process.env, REEVE_TEST_EVIDENCE: folder },
    stdio: "inherit",
  });
  const { markdown, untrue } = renderSupported(readEvidence(folder));
  if (untrue.length > 0) console.log(`\nuntrue\n${untrue.join("\n")}`);
  if (status === 0 && untrue.length === 0) writeFileSync(SUPPORTED_FILE, markdown);
  process.exitCode = status === 0 && untrue.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
