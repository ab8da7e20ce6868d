// Connections that reads share: a statement is sent without waiting for the answers to those before it, so that neither side
// wakes up for each one alone. It costs both half of what a connection for each read does.
import type { QueryResult } from "pg";
import type { Query } from "./postgres-connection.ts";
import type { Lease } from "./postgres-pool.ts";

/** A statement waits for those in front of it on its connection, and for no others. */
export const PIPELINES = 4;
/** Statements under way on a connection. */
export const PIPELINE_DEPTH = 16;

interface Pipeline {
  readonly opening: Promise<Lease>;
  /** What `opening` has come to. */
  lease: Lease | undefined;
  underWay: number;
}

export interface Pipelines {
  /** Runs one statement; those that fail or break fail alone. */
  ask(query: Query): Promise<QueryResult>;
  /** Gives the connections back, each when its last statement has ended. */
  close(): void;
}

/** `open` opens a connection that sends without waiting. */
export function openPipelines(open: () => Promise<Lease>): Pipelines {
  /** Those that take statements; one that is missing is opened when it is needed. */
  const pipelines: (Pipeline | undefined)[] = Array.from({ length: PIPELINES });
  const countAt = (at: number) => pipelines[at]?.underWay ?? 0;

  /** Gives back what nobody uses, and nobody will. */
  function release(pipeline: Pipeline): void {
    if (pipeline.underWay === 0 && !pipelines.includes(pipeline)) pipeline.lease?.release();
  }

  function retire(pipeline: Pipeline): void {
    const at = pipelines.indexOf(pipeline);
    if (at < 0) return;
    pipelines[at] = undefined;
    release(pipeline);
  }

  function start(): Pipeline {
    const pipeline: Pipeline = { opening: open(), lease: undefined, underWay: 0 };
    pipeline.opening.then(
      (lease) => {
        pipeline.lease = lease;
        lease.onEnd(() => retire(pipeline));
        // It may have been given up before it was there.
        release(pipeline);
      },
      () => retire(pipeline),
    );
    return pipeline;
  }

  /** The one with the least to do; of several the first, so that no more are open than are of use. */
  function choose(): Pipeline {
    let least = 0;
    for (let at = 1; at < PIPELINES; at++) if (countAt(at) < countAt(least)) least = at;
    const known = pipelines[least];
    if (known?.lease?.isCurrent() === false) retire(known);
    return (pipelines[least] ??= start());
  }

  return {
    async ask(query) {
      const pipeline = choose();
      pipeline.underWay++;
      try {
        const { connection } = pipeline.lease ?? (await pipeline.opening);
        return await connection.query(query);
      } finally {
        pipeline.underWay--;
        release(pipeline);
      }
    },
    close() {
      for (const pipeline of pipelines) if (pipeline) retire(pipeline);
    },
  };
}
