// The limit: node:http that answers the same bytes and does nothing else. Bodies arrive over IPC, by path.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

let bodies: Record<string, string> = {};
process.on("message", (message: Record<string, string>) => {
  bodies = message;
  process.send?.("ready");
});

const server = createServer((request, response) => {
  const body = bodies[request.url as string] ?? "";
  const answer = () => {
    response.setHeader("content-type", "application/json; charset=utf-8");
    response.setHeader("content-length", Buffer.byteLength(body));
    response.end(body);
  };
  if (request.method === "GET") answer();
  else request.resume().on("end", answer);
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
