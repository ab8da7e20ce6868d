import assert from "node:assert/strict";
import { test } from "node:test";
import { formatNetwork, parseAddress, parseNetwork } from "./network.ts";

const written = (text: string) => {
  const address = parseAddress(text);
  return address && formatNetwork({ ...address, bits: address.bytes.length * 8 });
};

test("addresses are parsed as docs/firewall.md says", () => {
  for (const [text, expected] of [
    ["10.1.2.3", "10.1.2.3/32"],
    ["::ffff:10.1.2.3", "10.1.2.3/32"],
    ["::FFFF:0a01:203", "10.1.2.3/32"],
    ["::10.1.2.3", "::a01:203/128"],
    ["64:ff9b::10.1.2.3", "64:ff9b::a01:203/128"],
    ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0/128"],
    ["2001:DB8:0:0::1", "2001:db8::1/128"],
  ] as const) {
    assert.equal(written(text), expected, text);
  }
});

test("text that people could read as another address is rejected", () => {
  const texts =
    "10.1.2.03 0x0a.1.2.3 10.1.515 167838211 10.1.2.256 1.2.3.4.5 ::ffff:10.1.2.03 ::ffff:0xa.1.2.3 ::1%eth0 [::1]";
  for (const text of [...texts.split(" "), "", ":", "::1 ", "1:2:3:4:5:6:7::8", "02001:db8::1"]) {
    assert.equal(parseAddress(text), null, text);
  }
});

test("networks of IPv4-mapped IPv6 addresses are rejected", () => {
  assert.equal(parseNetwork("::ffff:10.0.0.0/104"), null);
  assert.equal(parseNetwork("::ffff:a00:1"), null);
  assert.deepEqual(parseNetwork("::10.0.0.0/104")?.kind, "ipv6");
});
