// Writes the file of a project from its bundle. A project without a bundle gets a file that enforces nothing, unless it has one: a web
// server that is told to read a file does not start without it.
import type { Problem } from "../bundle/problem.ts";
import { createHostMap, projectKey } from "../hosts.ts";
import type { ProjectReference } from "../hosts.ts";
import type { ProtectedProject } from "../project.ts";
import type { RenderedFile } from "./engine-reports.ts";
import { renderSeclang } from "./render.ts";
import type { SeclangInput } from "./render.ts";
import { readIfThere, seclangFile, writeWhole } from "./seclang-file.ts";

export interface SeclangFiles {
  readonly hosts: readonly (ProjectReference & { readonly host: string })[];
  /** Hosts and projects whose requests are only watched; `all` for all. */
  readonly detectOnly: readonly string[];
  /** The folder. */
  readonly out: string;
  /** Where the files of the rule set are. */
  readonly rules: string;
  /** Null: what the rule set's own settings say. */
  readonly paranoia: number | null;
}

export interface RenderedProject {
  readonly project: string;
  readonly file: string;
  /** `kept`: there is no bundle, so the file stays as it was. */
  readonly outcome: "written" | "unchanged" | "kept";
  /** Null: no configuration is active. */
  readonly version: number | null;
  readonly hasBundle: boolean;
  /** Why the control plane did not confirm the bundle; null: it did. */
  readonly problem: string | null;
  readonly problemKind: Problem["kind"] | null;
  readonly notes: readonly string[];
}

function watchedOf({ detectOnly, hosts }: SeclangFiles, { name }: ProtectedProject): SeclangInput["watched"] {
  if (detectOnly.some((one) => one === "all" || one === name.toLowerCase())) return "all";
  const own = hosts.filter((entry) => projectKey(entry) === name).map(({ host }) => ({ host, project: name }));
  const map = createHostMap(own);
  return detectOnly.filter((one) => !one.includes("/") && map.find(one) !== undefined);
}

export async function writeSeclang(
  files: SeclangFiles,
  project: ProtectedProject,
): Promise<RenderedProject & RenderedFile> {
  const { out, rules, paranoia } = files;
  const { name, problem, protection, reference } = project;
  const file = seclangFile(out, reference);
  const active = protection?.bundle.configuration ?? null;
  const rest = {
    project: name,
    file,
    version: active?.version ?? null,
    hasBundle: protection !== null,
    problem: problem?.message ?? null,
    problemKind: problem?.kind ?? null,
  };
  const before = await readIfThere(file);
  if (!protection && before !== null) return { ...rest, outcome: "kept", notes: [], text: before, configuration: null };
  const watched = watchedOf(files, project);
  const { text, notes } = renderSeclang({ project: name, configuration: active, rules, paranoia, watched });
  if (before === text) return { ...rest, outcome: "unchanged", notes, text, configuration: active };
  await writeWhole(file, text);
  return { ...rest, outcome: "written", notes, text, configuration: active };
}
