// A free port of the loopback interface that stays free until the test uses it.
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import type { Server } from "node:net";

/** Systems give ports from 32 768 up to anyone who asks for any, servers and clients: below, nobody gets one without its number. */
const [FIRST, END] = [12_000, 32_768];

async function listenOn(port: number): Promise<Server | null> {
  const server = createServer().listen(port, "127.0.0.1");
  return once(server, "listening").then(
    () => server,
    () => null,
  );
}

/** Ports are handed out in even numbers. The process holds the odd one after it until it ends, so that no other test is given the same. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST / 2, END / 2) * 2;
    const claim = await listenOn(port + 1);
    const probe = claim && (await listenOn(port));
    if (!probe) {
      claim?.close();
      continue;
    }
    claim.unref();
    probe.close();
    await once(probe, "close");
    return port;
  }
}
