// Says to the control plane which engine enforces the categories of a project, for as long as the web server uses the file that was
// written last. It is not said of a file that the web server has not taken.
import { utimes } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ActiveConfiguration } from "../../firewall/evaluator/bundle.ts";
import type { RemoteControlPlane } from "../bundle/control-plane.ts";
import type { GateLog } from "../gate-log.ts";
import type { ProtectedProject } from "../project.ts";
import { readIfThere } from "./seclang-file.ts";

/** The control plane forgets after three times as long. */
const REPORT_MS = 300_000;
/** How soon the web server has to use a file before it is complained about, and how often it is reminded then. */
const RELOAD_MS = 15_000;
const REMIND_MS = 60_000;

export interface EngineReportOptions {
  readonly controlPlane: RemoteControlPlane;
  readonly engine: string;
  /** The folder of the files that the web server uses. */
  readonly loaded: string;
  readonly clock: () => number;
  readonly log: GateLog;
}

export interface RenderedFile {
  readonly text: string;
  /** What the file says; null: none is active. */
  readonly configuration: ActiveConfiguration | null;
}

interface Written extends RenderedFile {
  readonly folder: string;
  /** What the web server uses. */
  readonly file: string;
  readonly at: number;
  /** Null: not yet. */
  remindedAt: number | null;
}

export interface EngineReports {
  /** What the web server has to use from now on. */
  expect(project: ProtectedProject, file: string, rendered: RenderedFile): void;
  /** The configuration of the file that the web server was last seen with; undefined: of none that this process has written. */
  inUse(project: ProtectedProject): ActiveConfiguration | null | undefined;
  /** Looks which files are in use, and says so if that is due. */
  look(): Promise<void>;
}

export function createEngineReports({ controlPlane, engine, loaded, clock, log }: EngineReportOptions): EngineReports {
  const expected = new Map<ProtectedProject, Written>();
  const reportedAt = new Map<ProtectedProject, number>();
  const used = new Map<ProtectedProject, ActiveConfiguration | null>();

  async function lookAt(project: ProtectedProject, written: Written): Promise<void> {
    const inUse = await readIfThere(written.file).catch(() => null);
    if (inUse !== written.text) {
      reportedAt.delete(project);
      const isFirst = written.remindedAt === null;
      if (clock() - written.at < RELOAD_MS || clock() - (written.remindedAt ?? -Infinity) < REMIND_MS) return;
      written.remindedAt = clock();
      // What reloads the web server watches the folder. It may have missed a change while it was at work, or not been able to reload.
      const now = clock() / 1_000;
      await utimes(written.folder, now, now).catch(() => undefined);
      if (!isFirst) return;
      log.warn(
        { project: project.name, file: written.file },
        "the web server does not use the settings of the engine: look at what reloads it",
      );
      return;
    }
    used.set(project, written.configuration);
    if (clock() - (reportedAt.get(project) ?? -Infinity) < REPORT_MS) return;
    reportedAt.set(project, clock());
    try {
      await controlPlane.reportEngine(project.reference, engine);
    } catch (error) {
      log.warn({ project: project.name, reason: (error as Error).message }, "could not say which engine enforces crs");
    }
  }

  return {
    expect(project, file, rendered) {
      if (expected.get(project)?.text === rendered.text) return;
      const place = { folder: dirname(file), file: join(loaded, basename(file)) };
      expected.set(project, { ...place, ...rendered, at: clock(), remindedAt: null });
    },
    inUse: (project) => used.get(project),
    async look() {
      for (const [project, written] of expected) await lookAt(project, written);
    },
  };
}
