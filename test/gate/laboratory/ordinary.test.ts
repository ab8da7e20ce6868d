// What ordinary clients send by default passes rules on every part of a request, and the application reads what it would without a gate.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readingsIn } from "./applications.ts";
import type { Reading } from "./applications.ts";
import { startLaboratory } from "./laboratory.ts";
import { CLIENTS } from "./ordinary/clients.ts";
import { RECORDED_REQUESTS } from "./ordinary/recorded-requests.ts";
import { bytesOf, sendRaw } from "./raw-request.ts";
import { STRICT_PATH } from "./watched-names.ts";

const { applications } = await startLaboratory();

/** The server of PHP gives no answer to a request that asks for another protocol. */
const UPGRADING = /(?:Connection: Upgrade|Upgrade:)[^\r]*\r\n/g;

/** The gate adds headers and takes some away. */
const withoutHeaders = (readings: readonly Reading[]) => readings.filter(({ kind }) => kind !== "header");

describe("recorded requests pass", { concurrency: 4 }, () => {
  for (const [client, request] of RECORDED_REQUESTS) {
    it(client, async () => {
      const isForm = request.body !== "";
      for (const [application, { port, gatePort }] of Object.entries(applications)) {
        const bytes = bytesOf(request, STRICT_PATH);
        const through = await sendRaw(gatePort, bytes);
        assert.equal(through.status, 200, `${application}: ${through.head}`);
        const readings = withoutHeaders(readingsIn(through.body));
        const direct = await sendRaw(port, bytes.replaceAll(UPGRADING, ""));
        assert.deepEqual(readings, withoutHeaders(readingsIn(direct.body)), application);
        // Fastify has no parser of multipart by itself.
        if (!isForm || application === "Fastify") continue;
        const found = readings.some(({ name, value }) => name === "user_role" && value === "guest");
        assert.ok(found, `${application} reads ${JSON.stringify(readings)}`);
      }
    });
  }
});

describe("requests of real clients pass", () => {
  for (const [client, send] of Object.entries(CLIENTS)) {
    it(client, async () => {
      for (const [application, { port, gatePort }] of Object.entries(applications)) {
        const [direct, through] = [
          await send(`http://127.0.0.1:${port}${STRICT_PATH}`),
          await send(`http://127.0.0.1:${gatePort}${STRICT_PATH}`),
        ];
        assert.deepEqual(
          [...new Set(through.map(([status]) => status))],
          [200],
          `${application}: ${through.join("\n")}`,
        );
        const read = (answers: typeof direct) =>
          answers.map(([, text]) => withoutHeaders(readingsIn(Buffer.from(text))));
        assert.deepEqual(read(through), read(direct), application);
        assert.notEqual(read(direct).flat().length, 0, application);
      }
    });
  }
});
