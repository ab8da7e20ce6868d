import { Option } from "commander";
import type { CommandSpec } from "../command.ts";
import { Failure, exitCode } from "../../platform/outcomes/failure.ts";
import type { SeclangStart } from "../bodies/gate-seclang.ts";
import { readGate } from "../../serve/config/config.ts";

interface SeclangOptions {
  readonly keyFile?: string;
  readonly out: string;
  readonly watch?: boolean;
  readonly loaded?: string;
  readonly rules: string;
  readonly paranoia?: string;
  readonly engine: string;
  readonly auditLog?: string;
}

type Rendered = SeclangStart["projects"][number];

function describeProject({ project, file, outcome, version, hasBundle, problem, notes }: Rendered): string {
  const what = version === null ? "no configuration is active" : `version ${version}`;
  const source = hasBundle ? (problem === null ? what : `${what}, from disk: ${problem}`) : `NO BUNDLE: ${problem}`;
  return [`${project}  ${outcome}  ${file}  (${source})`, ...notes.map((note) => `  ${note}`)].join("\n");
}

/** It is written into the files. */
const PATH = /^\/[\w./-]*$/;

function requireOptions({ watch, loaded, auditLog, rules }: SeclangOptions): void {
  const needing = loaded !== undefined ? "--loaded" : auditLog !== undefined ? "--audit-log" : null;
  if (!watch && needing !== null) throw new Failure("usage", `${needing}: expected --watch as well`);
  if (!PATH.test(rules)) throw new Failure("usage", "--rules: expected an absolute path of letters, digits and ._/-");
}

export const gateSeclangCommand: CommandSpec<SeclangOptions> = {
  name: "seclang",
  needs: "gate",
  settings: ["server", "hosts", "dir", "detectOnly", "logLevel"],
  summary: "write the categories of attacks for ModSecurity with the OWASP core rule set",
  description:
    "Write one file per project that switches the OWASP core rule set as the project's configuration says (crs), for ModSecurity in nginx. " +
    "Without --watch it writes once, and its exit code is 69 when the control plane did not confirm a project's bundle, and 78 when it has " +
    "refused. With --watch it goes on: it writes within a second of a change, says which engine enforces the categories, and counts what the audit log shows.",
  examples: [
    "reeve gate seclang --server http://localhost:4000 --key-file gate.key --hosts '*=acme/shop' --out ./seclang",
    "reeve gate seclang --server http://localhost:4000 --key-file gate.key --hosts '*=acme/shop' --out ./seclang --watch --audit-log ./audit.json",
  ],
  options: [
    new Option("--out <folder>", "where the files are written, as TEAM~PROJECT.conf").makeOptionMandatory(),
    new Option("--watch", "go on, until told to stop"),
    new Option(
      "--loaded <folder>",
      "where a reload puts the files that the web server uses; those of --out by default",
    ),
    new Option("--rules <folder>", "files of the core rule set").default("/usr/share/modsecurity-crs/rules"),
    new Option("--paranoia <level>", "paranoia level, instead of that of the rule set's own settings").choices([
      "1",
      "2",
      "3",
      "4",
    ]),
    new Option("--engine <name>", "the engine that reads the files")
      .choices(["modsecurity", "coraza"])
      .default("modsecurity"),
    new Option("--audit-log <file>", "JSON audit log of the engine: what it denied is counted in the traffic"),
    new Option("--key-file <file>", "file with the gate's API key (REEVE_GATE_KEY_FILE, or REEVE_GATE_KEY)"),
  ],
  async run({ gateFlags, options, output }) {
    requireOptions(options);
    const { keyFile, out, watch = false, loaded = null, rules, paranoia, engine, auditLog = null } = options;
    const flags = { ...gateFlags, ...(keyFile !== undefined && { keyFile }) };
    const request = {
      out,
      watch,
      loaded,
      rules,
      paranoia: paranoia === undefined ? null : Number(paranoia),
      engine,
      auditLog,
    };
    const settings = readGate(flags);
    const { renderSeclang } = await import("../bodies/gate-seclang.ts");
    const { projects, code } = await renderSeclang(settings, request, (start) =>
      output.result(start, start.projects.map(describeProject).join("\n")),
    );
    if (watch) return code;
    const kinds = projects.map(({ problemKind }) => problemKind);
    if (kinds.includes("mistake")) return exitCode("settings");
    return kinds.includes("outage") ? exitCode("unavailable") : code;
  },
};
