// Loaded into a client's processes before the client itself: ends the process at the first connection or name lookup
// that would leave this machine. It changes nothing else.
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

export const LEFT_LOOPBACK_EXIT_CODE = 70;

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

function endIfForeign(host: string): void {
  if (LOOPBACK.test(host)) return;
  process.stderr.write(`loopback only: refused ${host}\n`);
  process.exit(LEFT_LOOPBACK_EXIT_CODE);
}

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]) {
  // Node's own callers pass one array of normalized arguments, everybody else the options themselves.
  const [target] = args.flat() as [{ host?: string; path?: string | null }];
  if (!target.path) endIfForeign(target.host ?? "localhost");
  return Reflect.apply(connect, this, args) as net.Socket;
};

const lookup = dns.lookup;
dns.lookup = ((host: string, ...rest: unknown[]) => {
  endIfForeign(host);
  Reflect.apply(lookup, dns, [host, ...rest]);
}) as typeof lookup;

syncBuiltinESMExports();
