// Connections that reads share: a statement is sent without waiting for the responses to earlier ones, so neither side wakes up
// for each statement alone. Both sides need half the CPU time of a connection per read.
import type { Connection, Lease } from "./connection.ts";

/** A few: a statement waits only for the earlier ones on its own connection. */
export const PIPELINES = 4;
/** Statements in flight on a connection. */
export const PIPELINE_DEPTH = 16;

interface Pipeline {
  readonly opening: Promise<Lease>;
  /** The result of `opening`. */
  lease: Lease | undefined;
  inFlight: number;
  /** When the connection last responded, of `performance.now()`. */
  respondedAt: number;
  /** Set while a statement is in flight. */
  watchdog: NodeJS.Timeout | undefined;
  /** The connection is closed after its last use. */
  isLast: boolean;
}

type Work<T> = (connection: Pick<Connection, "query">) => Promise<T>;

export interface Pipelines {
  /** Runs one statement. A refused statement fails alone; a broken connection fails all statements in flight on it. */
  share<T>(work: Work<T>): Promise<T>;
  /** Closes one connection after its last statement; false when none is open. */
  endOne(): boolean;
  /** Releases each connection after its last statement. */
  close(): void;
}

export interface PipelineOptions {
  /** How many connections are shared. */
  readonly count: number;
  /** Opens a connection that sends without waiting. */
  open(): Promise<Lease>;
  /** Whether `open` has failed in a way that tells nothing of open connections, so that one of these may serve. */
  isOpeningRefused(error: unknown): boolean;
  /** Runs a statement on a connection of its own, when none can be shared. */
  runExclusively<T>(work: Work<T>): Promise<T>;
  /** A connection with statements in flight that has not responded for this long counts as silent. */
  readonly silenceMs: number;
}

/**
 * Closes silent connections. It checks periodically, because a timer for each statement would cost as much as the statement.
 */
function watchSilence(pipeline: Pipeline, lease: Lease, silenceMs: number): void {
  const quietMs = performance.now() - pipeline.respondedAt;
  pipeline.watchdog = undefined;
  if (quietMs >= silenceMs) lease.connection.giveUp();
  else pipeline.watchdog = setTimeout(watchSilence, silenceMs - quietMs, pipeline, lease, silenceMs);
}

/** Runs one statement on a pipeline; `onEnd` is called after it, whatever its outcome. */
async function runOn<T>(
  pipeline: Pipeline,
  work: Work<T>,
  { silenceMs, onEnd }: { readonly silenceMs: number; onEnd(pipeline: Pipeline): void },
): Promise<T> {
  // Silence is measured from the first statement in flight.
  if (++pipeline.inFlight === 1) pipeline.respondedAt = performance.now();
  try {
    const lease = pipeline.lease ?? (await pipeline.opening);
    pipeline.watchdog ??= setTimeout(watchSilence, silenceMs, pipeline, lease, silenceMs);
    lease.connection.gather();
    return await work(lease.connection);
  } finally {
    pipeline.respondedAt = performance.now();
    if (--pipeline.inFlight === 0) {
      clearTimeout(pipeline.watchdog);
      pipeline.watchdog = undefined;
    }
    onEnd(pipeline);
  }
}

/** The pipelines that accept statements. A missing one is opened when it is needed. */
function createPipelineSet(count: number, open: () => Promise<Lease>) {
  const pipelines: (Pipeline | undefined)[] = Array.from({ length: count });
  const loadAt = (at: number) => pipelines[at]?.inFlight ?? 0;

  /** Releases a retired pipeline's connection after its last statement. */
  function release(pipeline: Pipeline): void {
    if (pipeline.inFlight === 0 && !pipelines.includes(pipeline)) pipeline.lease?.release(pipeline.isLast);
  }

  function retire(pipeline: Pipeline): void {
    const at = pipelines.indexOf(pipeline);
    if (at < 0) return;
    pipelines[at] = undefined;
    release(pipeline);
  }

  function start(): Pipeline {
    const idle = { lease: undefined, inFlight: 0, respondedAt: 0, watchdog: undefined, isLast: false };
    const pipeline: Pipeline = { opening: open(), ...idle };
    pipeline.opening.then(
      (lease) => {
        pipeline.lease = lease;
        lease.onEnd(() => retire(pipeline));
      },
      () => retire(pipeline),
    );
    return pipeline;
  }

  return {
    release,
    retire,
    /** Chooses the pipeline with the fewest statements in flight; of several the first, so that few connections are open. */
    choose(): Pipeline {
      for (const pipeline of pipelines) if (pipeline?.lease?.isCurrent() === false) retire(pipeline);
      let least = 0;
      for (let at = 1; at < count; at++) if (loadAt(at) < loadAt(least)) least = at;
      return (pipelines[least] ??= start());
    },
    /** Chooses the open pipeline with the fewest statements in flight, where no further one can be opened. */
    chooseOpen(): Pipeline | undefined {
      const usable = pipelines.filter((pipeline) => pipeline?.lease?.isCurrent());
      return usable.toSorted((one, other) => (one?.inFlight ?? 0) - (other?.inFlight ?? 0))[0];
    },
    retireAll() {
      for (const pipeline of pipelines) if (pipeline) retire(pipeline);
    },
  };
}

export function openPipelines({
  count,
  open,
  isOpeningRefused,
  runExclusively,
  silenceMs,
}: PipelineOptions): Pipelines {
  const set = createPipelineSet(count, open);
  const run = <T>(pipeline: Pipeline, work: Work<T>) => runOn(pipeline, work, { silenceMs, onEnd: set.release });
  return {
    async share(work) {
      const pipeline = set.choose();
      try {
        return await run(pipeline, work);
      } catch (error) {
        if (pipeline.lease) throw error;
        const other = set.chooseOpen();
        if (other) return await run(other, work);
        if (!isOpeningRefused(error)) throw error;
        return await runExclusively(work);
      }
    },
    endOne() {
      const pipeline = set.chooseOpen();
      if (!pipeline) return false;
      pipeline.isLast = true;
      set.retire(pipeline);
      return true;
    },
    close: set.retireAll,
  };
}
