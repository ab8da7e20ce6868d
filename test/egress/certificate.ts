// Makes a self-signed certificate for a test: the repository has no key, and none expires.
import { generateKeyPairSync, sign } from "node:crypto";
import { DAY_MS } from "../../src/platform/kernel/scheduling/clock.ts";

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** One element of DER. */
function der(tag: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)));
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_ID = 0x06;
const UTF8 = 0x0c;
const SEQUENCE = 0x30;
const SET = 0x31;
const TIME = 0x18;
const DNS_NAME = 0x82;
const EXPLICIT_0 = 0xa0;
const EXPLICIT_3 = 0xa3;

const COMMON_NAME = der(OBJECT_ID, "\x55\x04\x03");
const SUBJECT_ALT_NAME = der(OBJECT_ID, "\x55\x1d\x11");
const ECDSA_WITH_SHA256 = der(SEQUENCE, der(OBJECT_ID, "\x2a\x86\x48\xce\x3d\x04\x03\x02"));

/** `20260131235959Z` */
function timeOf(ms: number): Buffer {
  return der(TIME, new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, ""));
}

/** Valid from `fromMs` for a day. */
export function makeCertificate(name: string, fromMs = Date.now() - DAY_MS / 2): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const party = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8, name))));
  const names = der(SEQUENCE, SUBJECT_ALT_NAME, der(OCTET_STRING, der(SEQUENCE, der(DNS_NAME, name))));
  const content = der(
    SEQUENCE,
    der(EXPLICIT_0, der(INTEGER, "\x02")),
    der(INTEGER, "\x01"),
    ECDSA_WITH_SHA256,
    party,
    der(SEQUENCE, timeOf(fromMs), timeOf(fromMs + DAY_MS)),
    party,
    publicKey.export({ type: "spki", format: "der" }),
    der(EXPLICIT_3, der(SEQUENCE, names)),
  );
  const signature = der(BIT_STRING, "\0", sign("sha256", content, privateKey));
  const bytes = der(SEQUENCE, content, ECDSA_WITH_SHA256, signature).toString("base64");
  const lines = bytes.match(/.{1,64}/g)?.join("\n") ?? "";
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
  };
}
