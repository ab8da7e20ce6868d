// What a network covers is said by what browsers have too, and is the same that the server's own reading of networks says.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  formatNetwork,
  isNetworkAddress,
  networkAddress,
  parseNetwork,
} from "../../platform/kernel/network/network.ts";
import { valueDoubts } from "./value-doubts.ts";

function coveredBy(text: string): string | null {
  const network = parseNetwork(text);
  return !network || isNetworkAddress(network) ? null : formatNetwork(networkAddress(network));
}

test("the doubts about a network are those of the server's own reading", () => {
  const ipv4 = fc.tuple(fc.ipV4(), fc.nat(34));
  const ipv6 = fc.tuple(fc.ipV6(), fc.nat(130));
  fc.assert(
    fc.property(fc.oneof(ipv4, ipv6), ([address, prefix]) => {
      const text = `${address}/${prefix}`;
      // The API takes no such network.
      fc.pre(!/^(?:0*:){2,}f{4}:|^(?:0+:){5}f{4}:/i.test(address));
      const covered = coveredBy(text);
      const said = valueDoubts({ type: "ip_address", op: "eq", value: text }).map((doubt) => doubt.text);
      assert.deepEqual(said, covered === null ? [] : [`"${text}" is all of ${covered}`]);
    }),
    { numRuns: 2_000 },
  );
});
