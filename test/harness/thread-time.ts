// How much of the processor something takes, which other work on the machine does not lengthen as it does the time.

/** Milliseconds that this thread works for. */
export function threadMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
