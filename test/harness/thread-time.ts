// Measures CPU time, which does not depend on the load of the machine as elapsed time does.

/** Milliseconds of CPU time of this thread. */
export function threadMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
