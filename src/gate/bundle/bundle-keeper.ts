// Keeps the bundles of the gate's projects current: read from disk at the start, pulled when the stream says that one has changed, and
// every ten seconds in any case. Whatever fails, the gate goes on with the last bundle it has; a start without one stops at a mistake.
import type { Bundle } from "../../firewall/evaluator/bundle.ts";
import type { GateLog } from "../gate-log.ts";
import type { ProtectedProject } from "../project.ts";
import { compileProtection } from "../protection.ts";
import type { BundleFiles } from "./bundle-file.ts";
import { UnusableAnswerError } from "./control-plane.ts";
import type { ControlPlane } from "./control-plane.ts";
import { describeError, problemOf } from "./problem.ts";
import type { Problem, SettingNames } from "./problem.ts";

const POLL_MS = 10_000;
/** Gates that started together do not poll together. */
const JITTER = 0.2;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 10_000;
/** How often an unchanged bundle's file says that it is still confirmed: by so much its age is too high after a restart. */
const REWRITE_MS = 300_000;

/** `failed`: the control plane did not answer. `mistake`: it has refused. */
export type RefreshOutcome = "changed" | "unchanged" | "failed" | "mistake";

export interface BundleKeeperOptions {
  readonly projects: readonly ProtectedProject[];
  readonly controlPlane: ControlPlane;
  /** Names the control plane in messages. */
  readonly server: string;
  /** By these names messages tell which setting a mistake is about. */
  readonly settingNames: SettingNames;
  /** Null: nothing is kept on disk. */
  readonly files: BundleFiles | null;
  readonly clock: () => number;
  readonly log: GateLog;
  /** Whether the rule with this id is only watched. Absent: none is. */
  isWatched?(this: void, ruleId: string): boolean;
  /** Called after each attempt to confirm a bundle. */
  onRefresh?(project: ProtectedProject, outcome: RefreshOutcome): void;
  /** Called when a bundle's file could not be read or written. */
  onFileFailure?(operation: "read" | "write"): void;
}

export interface BundleKeeper {
  /** Reads the files, then asks the control plane once. Resolves when every project was asked for, whether it answered or not. */
  start(): Promise<void>;
  stop(): void;
}

/** Throws when a text is not a bundle that this version can decide by. */
function parseBundle(text: string): Bundle {
  const bundle = JSON.parse(text) as Partial<Bundle> | null;
  const { projectId, attackMode, bypasses, bypassRules, challengeKeys, configuration, bots = [] } = bundle ?? {};
  const isWhole =
    typeof projectId === "string" &&
    typeof attackMode?.isEnabled === "boolean" &&
    [bypasses, bypassRules, challengeKeys, bots].every(Array.isArray) &&
    configuration !== undefined &&
    (configuration === null || (Array.isArray(configuration.rules) && Array.isArray(configuration.ips)));
  if (!isWhole) throw new Error("the response is no bundle");
  return bundle as Bundle;
}

/** Runs `work` for a project, one run at a time; a call during a run leads to one more. */
function createSingleRun(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let isWanted = false;
  async function run(): Promise<void> {
    do {
      isWanted = false;
      await work();
    } while (isWanted);
    running = null;
  }
  return () => {
    isWanted = true;
    return (running ??= run());
  };
}

const EXPOSED = {
  until_now:
    "others than the gate's account had access to the bundle on disk, with the keys that sign passes of the challenge; its mode is 0600 again (REEVE_GATE_DIR)",
  still:
    "others than the gate's account have access to the bundle on disk, with the keys that sign passes of the challenge, and its mode cannot be changed: " +
    "give the file to the account of the gate, with the mode 0600 (REEVE_GATE_DIR)",
} as const;

export function createBundleKeeper(options: BundleKeeperOptions): BundleKeeper {
  const { projects, controlPlane, server, settingNames, files, clock, log, onRefresh, onFileFailure } = options;
  let isStarted = false;
  const stopped = new AbortController();
  const timers = new Set<NodeJS.Timeout>();
  /** Of what this process has fetched: an answer that nothing has changed confirms no text that anything else has left on disk. */
  const etags = new Map<ProtectedProject, string | null>();
  const savedAt = new Map<ProtectedProject, number>();

  async function use(project: ProtectedProject, text: string): Promise<void> {
    const bundle = parseBundle(text);
    if (bundle.projectId !== project.reference.project) throw new Error("it is the bundle of another project");
    project.protection = await compileProtection(bundle, clock(), options.isWatched);
  }

  async function readFile(project: ProtectedProject): Promise<void> {
    try {
      const stored = await files?.read(project.reference);
      if (!stored) return;
      if (stored.exposed !== "never") log.warn({ project: project.name }, EXPOSED[stored.exposed]);
      await use(project, stored.text);
      project.confirmedAt = stored.confirmedAt;
      log.info(
        { project: project.name, version: project.protection?.bundle.configuration?.version },
        "read the last bundle from disk",
      );
    } catch (error) {
      onFileFailure?.("read");
      log.error({ project: project.name, reason: describeError(error) }, "the bundle on disk cannot be used");
    }
  }

  async function save(project: ProtectedProject, text: string): Promise<void> {
    const confirmedAt = clock();
    savedAt.set(project, confirmedAt);
    try {
      await files?.write(project.reference, { confirmedAt, text });
    } catch (error) {
      onFileFailure?.("write");
      log.error(
        { project: project.name, reason: describeError(error) },
        "the bundle cannot be written to disk (REEVE_GATE_DIR): a start without the control plane would not have it",
      );
    }
  }

  /** An outage does not take back what the control plane has answered before. */
  function recordProblem(project: ProtectedProject, problem: Problem | null): void {
    const { name, problem: before, protection } = project;
    if (problem?.message === before?.message || (before?.kind === "mistake" && problem?.kind === "outage")) return;
    project.problem = problem;
    if (problem === null) return log.info({ project: name }, "the control plane confirms the bundle");
    const details = { project: name, reason: problem.message };
    const goesOn = protection ? "the gate goes on with the last bundle" : "the gate has no bundle of it";
    if (problem.kind === "outage") log.warn(details, `the control plane does not confirm the bundle; ${goesOn}`);
    // Who starts the gate tells of a mistake that stops the start.
    else if (protection || isStarted) log.error(details, `the control plane refuses the bundle; ${goesOn}`);
  }

  async function useFetched(project: ProtectedProject, text: string): Promise<void> {
    try {
      await use(project, text);
    } catch (error) {
      throw new UnusableAnswerError(`with a bundle that cannot be used: ${(error as Error).message}`, { cause: error });
    }
  }

  async function refreshOnce(project: ProtectedProject): Promise<void> {
    try {
      const fetched = await controlPlane.fetchBundle(project.reference, etags.get(project) ?? null);
      if (stopped.signal.aborted) return;
      if (fetched) {
        await useFetched(project, fetched.text);
        etags.set(project, fetched.etag);
        log.info(
          { project: project.name, version: project.protection?.bundle.configuration?.version ?? null },
          "a new bundle is in force",
        );
      }
      project.confirmedAt = clock();
      recordProblem(project, null);
      onRefresh?.(project, fetched ? "changed" : "unchanged");
      const isDue = clock() - (savedAt.get(project) ?? 0) >= REWRITE_MS;
      if (fetched) await save(project, fetched.text);
      else if (isDue && project.protection) await save(project, JSON.stringify(project.protection.bundle));
    } catch (error) {
      if (stopped.signal.aborted) return;
      const problem = problemOf(error, project.reference, server, settingNames);
      recordProblem(project, problem);
      onRefresh?.(project, problem.kind === "mistake" ? "mistake" : "failed");
    }
  }

  const refreshes = new Map(projects.map((project) => [project, createSingleRun(() => refreshOnce(project))]));
  const refresh = (project: ProtectedProject) => (refreshes.get(project) as () => Promise<void>)();

  function later(delayMs: number, run: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (!stopped.signal.aborted) run();
    }, delayMs);
    timers.add(timer);
  }

  function poll(project: ProtectedProject): void {
    const delay = POLL_MS * (1 - JITTER + 2 * JITTER * Math.random());
    later(delay, () => void refresh(project).then(() => poll(project)));
  }

  /** Listens to the changes of a team's projects, and again after each failure. */
  async function listen(team: string | null): Promise<void> {
    const own = projects.filter(({ reference }) => reference.team === team);
    let backoffMs = FIRST_BACKOFF_MS;
    while (!stopped.signal.aborted) {
      const onOpen = () => {
        backoffMs = FIRST_BACKOFF_MS;
        // What changed before the stream began is not in it.
        for (const project of own) void refresh(project);
      };
      const onChange = (name: string | null) => {
        for (const project of own) if (name === null || project.reference.project === name) void refresh(project);
      };
      // A stream that ends or fails costs no more than the wait for the next poll: the poll says what is wrong.
      await controlPlane.listen(team, stopped.signal, onOpen, onChange).catch(() => undefined);
      await new Promise<void>((resolve) => {
        stopped.signal.addEventListener("abort", () => resolve(), { once: true });
        later(backoffMs, resolve);
      });
      backoffMs = Math.min(MAX_BACKOFF_MS, 2 * backoffMs);
    }
  }

  return {
    async start() {
      await Promise.all(projects.map(readFile));
      await Promise.all(projects.map(refresh));
      isStarted = true;
      for (const project of projects) poll(project);
      for (const team of new Set(projects.map(({ reference }) => reference.team))) void listen(team);
    },
    stop() {
      stopped.abort();
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
