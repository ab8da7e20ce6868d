// Certificate authorities for servers of PostgreSQL, and what they sign, made by openssl: none outlives the test.
import { execFileSync } from "node:child_process";
import { join } from "node:path";

export interface SignedPair {
  readonly certificate: string;
  readonly key: string;
}

export interface Authority {
  /** The file of its certificate. */
  readonly file: string;
  /** Signs a certificate for this subject, and for this DNS name if it is one of a server. */
  sign(subject: string, dnsName?: string): SignedPair;
}

export function createAuthority(folder: string, name: string): Authority {
  let signed = 0;
  const make = (file: string, subject: string, ...more: readonly string[]): SignedPair => {
    const [certificate, key] = [join(folder, `${file}.crt`), join(folder, `${file}.key`)];
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const about = ["-x509", ...curve, "-days", "2", "-subj", `/CN=${subject}`, ...more];
    execFileSync("openssl", ["req", ...about, "-keyout", key, "-out", certificate], { stdio: "pipe" });
    return { certificate, key };
  };
  const own = make(name, name);
  return {
    file: own.certificate,
    sign(subject, dnsName) {
      const names = dnsName === undefined ? [] : ["-addext", `subjectAltName=DNS:${dnsName}`];
      return make(`${name}-${++signed}`, subject, ...names, "-CA", own.certificate, "-CAkey", own.key);
    },
  };
}
