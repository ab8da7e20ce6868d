// The limit of deliveries: undici in a process of its own, which posts the same bytes to the same receiver, unsigned,
// and keeps nothing.
import { Agent } from "undici";
import type { Sending } from "./webhook-processes.ts";

const agent = new Agent({ connections: 128, pipelining: 1 });
const headers = { "content-type": "application/json", "user-agent": "bare" };

process.on("message", ({ url, body, requests, inFlight }: Sending) => {
  let left = requests;
  async function send(): Promise<void> {
    while (left-- > 0) {
      const answer = await agent.request({ origin: url, path: "/", method: "POST", headers, body });
      await answer.body.text();
    }
  }
  void Promise.all(Array.from({ length: inFlight }, send)).then(() => process.send?.("done"));
});
process.send?.("ready");
