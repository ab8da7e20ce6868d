// What verbs leave to be done outside their transaction, because it touches the network or takes long (law 2).

type Completions = Readonly<Record<string, (deferred: never, signal: AbortSignal) => Promise<unknown>>>;

/** Does what a verb of an operation deferred, until `signal` says that nobody waits for it; `completions` are by operation. */
export function createCompletion(completions: Completions) {
  return async (operation: string, deferred: unknown, signal: AbortSignal): Promise<unknown> => {
    const complete = completions[operation];
    if (!complete) throw new Error(`nothing completes ${operation}`);
    return await complete(deferred as never, signal);
  };
}
