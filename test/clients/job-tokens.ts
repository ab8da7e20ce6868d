// Where a job of GitHub asks for its signed token, which an issuer of the tests signs.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";

const REQUEST_TOKEN = "a-token.of_the-job";

/** What the job has in its environment. Ends after the tests of the file. */
export async function startJobTokens(sign: (audience: string | null) => Promise<string>) {
  const server = createServer((asked, response) => {
    const audience = new URL(asked.url ?? "", "http://localhost").searchParams.get("audience");
    assert.equal(asked.headers.authorization, `Bearer ${REQUEST_TOKEN}`);
    void sign(audience).then((value) => response.end(JSON.stringify({ value })));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => server.close());
  return {
    ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token?job=1`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: REQUEST_TOKEN,
  };
}
