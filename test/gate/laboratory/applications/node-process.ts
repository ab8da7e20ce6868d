// The applications of the laboratory that run on Node.js, in a process of their own. Writes their ports as one line of JSON.
import { once } from "node:events";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expressApplication } from "./express.ts";
import { fastifyApplication } from "./fastify.ts";
import { formidableApplication } from "./formidable.ts";
import { honoApplication } from "./hono.ts";

async function listenOn(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const fastify = await fastifyApplication();
await fastify.listen({ port: 0, host: "127.0.0.1" });

const ports = {
  Express: await listenOn(expressApplication()),
  formidable: await listenOn(formidableApplication),
  Fastify: (fastify.server.address() as AddressInfo).port,
  Hono: await listenOn(honoApplication()),
};
process.stdout.write(`${JSON.stringify(ports)}\n`);
