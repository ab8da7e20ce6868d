// Keeps the files of projects current for a web server with ModSecurity, says so to the control plane, and reports what the
// engine did. It needs no running gate.
import { createBundleFiles } from "../bundle/bundle-file.ts";
import { createBundleKeeper } from "../bundle/bundle-keeper.ts";
import type { RemoteControlPlane } from "../bundle/control-plane.ts";
import type { GateLog } from "../gate-log.ts";
import { createHostMap, projectKey } from "../hosts.ts";
import { SETTING_NAMES } from "../bundle/problem.ts";
import { createProject, refuseMistakes } from "../project.ts";
import type { ProtectedProject } from "../project.ts";
import { createReporter } from "../reports/reporter.ts";
import { createSamples } from "../reports/samples.ts";
import { createTraffic } from "../reports/traffic.ts";
import { parseAuditEntry, ruleId, worstRule } from "./audit-entry.ts";
import { followLog } from "./audit-log.ts";
import { engineDecision } from "./engine-decision.ts";
import { createEngineReports } from "./engine-reports.ts";
import { writeSeclang } from "./seclang-writer.ts";
import type { RenderedProject, SeclangFiles } from "./seclang-writer.ts";

export interface SeclangConfiguration extends SeclangFiles {
  /** Of the last bundles. */
  readonly dir: string;
  /** Where a reload puts the files that the web server uses; null: it uses those of `out`. */
  readonly loaded: string | null;
  readonly engine: string;
  /** Null: nothing is counted. */
  readonly auditLog: string | null;
}

export interface SeclangDependencies {
  readonly controlPlane: RemoteControlPlane;
  /** Names the control plane in files. */
  readonly server: string;
  readonly clock: () => number;
  readonly log: GateLog;
}

export interface SeclangKeeper {
  /**
   * Reads or pulls the bundles, writes the files once, and says what became of each. Rejects with a `GateMistakeError` before it writes, as
   * the start of a gate does.
   */
  start(): Promise<readonly RenderedProject[]>;
  /** Goes on with it: writes when a configuration changes, reports, counts. */
  watch(): void;
  stop(): Promise<void>;
}

const LOOK_MS = 1_000;

export function createSeclangKeeper(
  configuration: SeclangConfiguration,
  { controlPlane, server, clock, log }: SeclangDependencies,
): SeclangKeeper {
  const { auditLog, dir, engine, hosts, loaded, out } = configuration;
  const references = new Map(hosts.map(({ team, project }) => [projectKey({ team, project }), { team, project }]));
  const projects = [...references.values()].map((reference) => createProject(reference));
  const hostMap = createHostMap(hosts.map((entry) => ({ host: entry.host, project: projectKey(entry) })));
  const reports = createEngineReports({ controlPlane, engine, loaded: loaded ?? out, clock, log });
  const traffic = createTraffic({ controlPlane, clock, takeResponses: () => new Map(), onLost() {} });
  const samples = createSamples({ controlPlane, clock, log, onOutcome() {} });
  const reporter = createReporter([traffic, samples], log);
  const shownNotes = new Map<ProtectedProject, string>();
  let followed: ReturnType<typeof followLog> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isWatching = false;
  let writing: Promise<unknown> = Promise.resolve();

  async function render(project: ProtectedProject): Promise<RenderedProject> {
    const { text, configuration: active, ...rendered } = await writeSeclang(configuration, project);
    if (rendered.hasBundle) reports.expect(project, rendered.file, { text, configuration: active });
    return rendered;
  }

  async function renderAgain(project: ProtectedProject): Promise<void> {
    try {
      const { outcome, notes, file } = await render(project);
      if (outcome === "written") log.info({ project: project.name, file }, "wrote the settings of the engine");
      const shown = notes.join("\n");
      if (shown !== (shownNotes.get(project) ?? ""))
        for (const note of notes) log.warn({ project: project.name }, note);
      shownNotes.set(project, shown);
      await reports.look();
    } catch (error) {
      const reason = (error as Error).message;
      log.error({ project: project.name, reason }, "the settings of the engine cannot be written (--out)");
    }
  }

  const keeper = createBundleKeeper({
    projects,
    controlPlane,
    server,
    settingNames: SETTING_NAMES,
    files: createBundleFiles(dir, server),
    clock,
    log,
    onRefresh(project, outcome) {
      if (isWatching && outcome === "changed") writing = writing.then(() => renderAgain(project));
    },
  });

  function countLine(line: string): void {
    const entry = parseAuditEntry(line);
    const project = projects.find(({ name }) => name === entry?.project);
    if (!entry || !project) return;
    // A client chooses its host: one that is not the project's is not kept.
    const host = hostMap.find(entry.host) === project.name ? entry.host : "";
    // What is in force at the gate may be newer than what the web server had when it wrote the line.
    const used = reports.inUse(project);
    const active = used === undefined ? (project.protection?.bundle.configuration ?? null) : used;
    const worst = worstRule(entry, active);
    const action = entry.isDenied ? "deny" : "log";
    traffic.countOther(project, { host, action, ip: entry.ip, ruleId: worst && ruleId(worst) });
    const decided = engineDecision(entry, active);
    if (decided) samples.add(project, { ...decided.request, host: host || "*" }, decided.decision, decided.steps);
  }

  function tellProblem(reason: string | null): void {
    if (reason === null) log.info({ file: auditLog }, "reading the audit log");
    else log.warn({ file: auditLog, reason }, "the audit log cannot be read (--audit-log): nothing is counted");
  }

  function lookLater(): void {
    timer = setTimeout(() => {
      writing = writing.then(() => reports.look());
      void writing.then(() => isWatching && lookLater());
    }, LOOK_MS);
  }

  return {
    async start() {
      await keeper.start();
      refuseMistakes(projects);
      const rendered = await Promise.all(projects.map(render));
      for (const project of projects) shownNotes.set(project, "");
      return rendered;
    },
    watch() {
      isWatching = true;
      // What changed since the start is not written yet.
      for (const project of projects) writing = writing.then(() => renderAgain(project));
      if (auditLog !== null)
        followed = followLog({ path: auditLog, fromEnd: true, onLine: countLine, onProblem: tellProblem });
      lookLater();
    },
    async stop() {
      isWatching = false;
      clearTimeout(timer);
      keeper.stop();
      await writing;
      await followed?.stop();
      await reporter.stop();
    },
  };
}
