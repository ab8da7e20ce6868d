// Checks files of certificates and keys before they are used. Node.js passes over a file without a certificate, and names no file.
import { X509Certificate, createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileReason } from "../../platform/kernel/text/file-reason.ts";
import { expected } from "../../platform/kernel/settings/setting-values.ts";

const CERTIFICATE = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----.*?(?=-----BEGIN |$)/gs;

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    return expected(`a file that can be read: ${fileReason(error)}`);
  }
}

function parse<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch {
    return expected(what);
  }
}

/** Reads every certificate of a file; throws an Error that says what was expected. */
export function readCertificates(file: string): readonly [X509Certificate, ...X509Certificate[]] {
  const what = "a file with certificates in PEM";
  const found = readText(file).match(CERTIFICATE) ?? expected(what);
  const [first = "", ...others] = found;
  return parse(what, () => [new X509Certificate(first), ...others.map((one) => new X509Certificate(one))]);
}

export function readPrivateKey(file: string) {
  const text = readText(file);
  return parse("a file with a private key in PEM, without a passphrase", () => createPrivateKey(text));
}
