// Connections that reads share: a statement is sent without waiting for the answers to those before it, so that neither side
// wakes up for each one alone. It costs both half of what a connection for each read does.
import type { Connection, Lease } from "./connection.ts";

/** A statement waits for those in front of it on its connection, and for no others. */
export const PIPELINES = 4;
/** Statements under way on a connection. */
export const PIPELINE_DEPTH = 16;

interface Pipeline {
  readonly opening: Promise<Lease>;
  /** What `opening` has come to. */
  lease: Lease | undefined;
  underWay: number;
  /** When it was last known to work, of `performance.now()`. */
  heardAt: number;
  /** Runs while something is under way. */
  watch: NodeJS.Timeout | undefined;
  /** Its connection is closed with its last use. */
  isLast: boolean;
}

type UnitOfWork<T> = (connection: Pick<Connection, "query">) => Promise<T>;

export interface Pipelines {
  /** Runs one statement; one that is refused is refused alone, and those on a connection that breaks end with it. */
  share<T>(work: UnitOfWork<T>): Promise<T>;
  /** Closes one of the connections, when its last statement has ended; false when there is none. */
  endOne(): boolean;
  /** Gives the connections back, each when its last statement has ended. */
  close(): void;
}

export interface PipelineOptions {
  /** Opens a connection that sends without waiting. */
  open(): Promise<Lease>;
  /** Whether `open` has failed for want of room, where one that is there may serve. */
  isShortage(error: unknown): boolean;
  /** Runs a statement on a connection of its own, where there is none to share. */
  useAlone<T>(work: UnitOfWork<T>): Promise<T>;
  /** A connection that owes answers, and has given none for so long, has fallen silent. */
  readonly silenceMs: number;
}

export function openPipelines({ open, isShortage, useAlone, silenceMs }: PipelineOptions): Pipelines {
  /** Those that take statements; one that is missing is opened when it is needed. */
  const pipelines: (Pipeline | undefined)[] = Array.from({ length: PIPELINES });
  const countAt = (at: number) => pipelines[at]?.underWay ?? 0;

  /** Gives back what nobody uses, and nobody will. */
  function release(pipeline: Pipeline): void {
    if (pipeline.underWay === 0 && !pipelines.includes(pipeline)) pipeline.lease?.release(pipeline.isLast);
  }

  function retire(pipeline: Pipeline): void {
    const at = pipelines.indexOf(pipeline);
    if (at < 0) return;
    pipelines[at] = undefined;
    release(pipeline);
  }

  function start(): Pipeline {
    const idle = { lease: undefined, underWay: 0, heardAt: 0, watch: undefined, isLast: false };
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

  /** The one with the least to do; of several the first, so that no more are open than are of use. */
  function choose(): Pipeline {
    for (const pipeline of pipelines) if (pipeline?.lease?.isCurrent() === false) retire(pipeline);
    let least = 0;
    for (let at = 1; at < PIPELINES; at++) if (countAt(at) < countAt(least)) least = at;
    return (pipelines[least] ??= start());
  }

  /** Where there is no room for one more connection, those that are open go on. */
  function chooseOpen(): Pipeline | undefined {
    const usable = pipelines.filter((pipeline) => pipeline?.lease?.isCurrent());
    return usable.toSorted((one, other) => (one?.underWay ?? 0) - (other?.underWay ?? 0))[0];
  }

  /** Looked at once in a while: a timer for each statement would cost as much as what it watches over. */
  function watchOver(pipeline: Pipeline, lease: Lease): void {
    const quietMs = performance.now() - pipeline.heardAt;
    pipeline.watch = undefined;
    if (quietMs >= silenceMs) lease.connection.giveUp();
    else pipeline.watch = setTimeout(watchOver, silenceMs - quietMs, pipeline, lease);
  }

  async function runOn<T>(pipeline: Pipeline, work: UnitOfWork<T>): Promise<T> {
    // It owes nothing until now, so it was not silent.
    if (++pipeline.underWay === 1) pipeline.heardAt = performance.now();
    try {
      const lease = pipeline.lease ?? (await pipeline.opening);
      pipeline.watch ??= setTimeout(watchOver, silenceMs, pipeline, lease);
      return await work(lease.connection);
    } finally {
      pipeline.heardAt = performance.now();
      if (--pipeline.underWay === 0) {
        clearTimeout(pipeline.watch);
        pipeline.watch = undefined;
      }
      release(pipeline);
    }
  }

  return {
    async share(work) {
      const pipeline = choose();
      try {
        return await runOn(pipeline, work);
      } catch (error) {
        if (pipeline.lease) throw error;
        const other = chooseOpen();
        if (other) return await runOn(other, work);
        if (!isShortage(error)) throw error;
        return await useAlone(work);
      }
    },
    endOne() {
      const pipeline = chooseOpen();
      if (!pipeline) return false;
      pipeline.isLast = true;
      retire(pipeline);
      return true;
    },
    close() {
      for (const pipeline of pipelines) if (pipeline) retire(pipeline);
    },
  };
}
