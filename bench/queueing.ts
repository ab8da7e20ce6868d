// Waiting in line: Poisson arrivals, exponential service (M/M/c). Times are seconds, rates per second.
export interface Queue {
  readonly arrivals: number;
  /** Mean time of service. */
  readonly service: number;
  readonly servers: number;
}

/** The share of the servers' time that is used; from 1 on the line only grows. */
export function utilisation({ arrivals, service, servers }: Queue): number {
  return (arrivals * service) / servers;
}

/** The chance that anyone who arrives has to wait (Erlang C). */
export function waitChance(queue: Queue): number {
  const used = utilisation(queue);
  if (used >= 1) return 1;
  const offered = queue.arrivals * queue.service;
  // Erlang B, server by server: no factorials, which would not fit into a number.
  let blocked = 1;
  for (let server = 1; server <= queue.servers; server++) blocked = (offered * blocked) / (server + offered * blocked);
  return blocked / (1 - used * (1 - blocked));
}

/** How fast the line becomes shorter when all servers work and somebody waits. */
function drain({ arrivals, service, servers }: Queue): number {
  return servers / service - arrivals;
}

export function meanWait(queue: Queue): number {
  return utilisation(queue) >= 1 ? Infinity : waitChance(queue) / drain(queue);
}

/** The wait that this share of all arrivals stays below. */
export function waitQuantile(queue: Queue, share: number): number {
  if (utilisation(queue) >= 1) return Infinity;
  return Math.max(0, Math.log(waitChance(queue) / (1 - share)) / drain(queue));
}
