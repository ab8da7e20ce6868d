// A gate as a server: what it is told in, a running gate out. `reeve gate` and `reeve serve --gate` start it the same way.
import { once } from "node:events";
import { Server as NetServer } from "node:net";
import type { AddressInfo } from "node:net";
import { GateMistakeError } from "./gate-status.ts";
import type { GateHealth } from "./gate-status.ts";
import { createCore } from "./core.ts";
import type { CoreConfiguration, GateCore, GateDependencies } from "./core.ts";
import { GateListenError } from "./listen-error.ts";
import type { ProtectedProject } from "./project.ts";
import { createGateServer } from "./server/gate-server.ts";
import type { OperatorPages } from "./server/gate-context.ts";
import { createUpstreamProxy } from "./server/upstream-proxy.ts";

/** When the gate stops, requests on open connections are taken for this long: they may be on their way. */
const DRAIN_MS = 1_000;
const SWEEP_MS = 50;
/** For requests in flight when the gate stops; afterwards their connections are closed. */
const GRACE_MS = 7_000;

export interface GateConfiguration extends CoreConfiguration {
  readonly listen: { readonly host: string; readonly port: number };
  /** URL of the application; null: the gate only answers checks. */
  readonly upstream: string | null;
}

export interface RunningGate {
  readonly url: string;
  readonly projects: readonly ProtectedProject[];
  /** From now on the page of health says `shutting_down`; everything is served as before. */
  announceStop(): void;
  /** Takes no more requests, finishes those in flight, and reports what was counted. */
  close(): Promise<void>;
}

function createOperatorPages({ metrics, health }: GateCore, isStopping: () => boolean): OperatorPages {
  return {
    health() {
      const body: GateHealth = { ...health(), ...(isStopping() && { status: "shutting_down" }) };
      return { status: body.status === "ok" ? 200 : 503, body };
    },
    metrics: async () => ({ contentType: metrics.registry.contentType, text: await metrics.registry.metrics() }),
  };
}

export interface RunDependencies extends GateDependencies {
  /** Starts in spite of mistakes: repairing them needs the process that the gate is in. */
  readonly startsWithMistakes?: boolean;
}

/**
 * Starts with the last bundles when the control plane does not answer. Rejects for mistakes that leave projects without a bundle, and when
 * it cannot listen.
 */
export async function runGate(configuration: GateConfiguration, dependencies: RunDependencies): Promise<RunningGate> {
  const { listen, upstream } = configuration;
  const core = createCore(configuration, dependencies);
  const proxy = upstream === null ? null : createUpstreamProxy(upstream, core);
  let [isStopping, isClosing] = [false, false];
  const operator = createOperatorPages(core, () => isStopping);
  const server = createGateServer({ ...core, operator, proxy, isClosing: () => isClosing });
  try {
    await core.start();
  } catch (error) {
    if (!dependencies.startsWithMistakes || !(error instanceof GateMistakeError)) {
      await core.stop();
      throw error;
    }
    dependencies.log.error({ reason: error.message }, "no bundle: requests are refused until this is repaired");
  }
  server.listen(listen.port, listen.host);
  try {
    await once(server, "listening");
  } catch (error) {
    await core.stop();
    throw new GateListenError(error as Error);
  }
  const { address, family, port } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    isStopping = isClosing = true;
    const closed = once(server, "close");
    // That of node:http would end idle connections at once, and lose the requests that are on their way there.
    NetServer.prototype.close.call(server);
    proxy?.endUpgraded();
    let sweep: NodeJS.Timeout | undefined;
    const drained = setTimeout(() => {
      sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
    }, DRAIN_MS);
    const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS);
    await closed;
    for (const timer of [drained, sweep, cut]) clearTimeout(timer);
    proxy?.close();
    await core.stop();
  }
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}`,
    projects: core.projects,
    announceStop: () => void (isStopping = true),
    close: () => (closing ??= close()),
  };
}
