// The JA4 digest of a client's TLS handshake, which the proxy in front computes: the gate itself sees none.

/** Protocol, version, whether there is a name, counts of ciphers and extensions, ALPN; then two digests. https://github.com/FoxIO-LLC/ja4 */
const JA4 = /^[tqd](?:\d\d|s[23]|d[123])[di]\d{4}[0-9A-Za-z]{2}_[0-9a-f]{12}_[0-9a-f]{12}$/;

/** Undefined: the text has another form. */
export function readJa4(text: unknown): string | undefined {
  return typeof text === "string" && JA4.test(text) ? text : undefined;
}
