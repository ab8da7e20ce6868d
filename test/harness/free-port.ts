// A free port of the loopback interface that stays free until the test uses it.
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Systems give ports from 32 768 up to whoever asks for any, servers and clients: below, nobody gets one without its number. */
const [FIRST, END] = [12_000, 32_768];

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    const probe = createServer().listen(port, "127.0.0.1");
    const isFree = await once(probe, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, "close");
    return port;
  }
}
