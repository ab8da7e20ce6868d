// Fetches documents of issuers by the egress of webhooks: pinned to addresses that it may reach, without redirects, bounded in size and time.
import type { Egress } from "../platform/egress/egress.ts";
import { IssuerFailure } from "../identity/workload/exchange/issuer-keys.ts";
import type { FetchDocument } from "../identity/workload/exchange/issuer-keys.ts";

const TIMEOUT_MS = 5_000;

export function createDocumentFetcher(egress: Egress, userAgent: string): FetchDocument {
  return async (url, maxBodyBytes) => {
    const request = {
      method: "GET",
      url,
      headers: { accept: "application/json", "user-agent": userAgent },
      body: "",
    } as const;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const outcome = await egress.send({ ...request, maxBodyBytes }, signal);
    if ("error" in outcome) {
      // The address of a name, and whether there is one, is for the operator alone.
      const problem = signal.aborted ? `no answer within ${TIMEOUT_MS / 1_000} s` : `stage ${outcome.error.stage}`;
      throw new IssuerFailure(`${url} cannot be reached: ${problem}`);
    }
    const { status, body, isTruncated } = outcome.response;
    if (status >= 300 && status < 400) throw new IssuerFailure(`${url} redirects, which is not followed`);
    if (status !== 200) throw new IssuerFailure(`${url} answers with status ${status}`);
    if (isTruncated) throw new IssuerFailure(`${url} is longer than ${maxBodyBytes} bytes, or broke off`);
    // Bytes that are no UTF-8 have become this character, which no document of keys has.
    if (body.includes("\uFFFD")) throw new IssuerFailure(`${url} is no UTF-8`);
    return body.replace(/^\uFEFF/, "");
  };
}
