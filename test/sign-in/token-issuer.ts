// An issuer of signed tokens on loopback, as those of CI systems: a discovery document and a key set over HTTP, which a test may break.
import { generateKeyPair, exportJWK, SignJWT } from "jose";
import type { CryptoKey, JWK, JWTHeaderParameters } from "jose";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Responder = (request: IncomingMessage, response: ServerResponse) => void;

export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

export async function createSigningKey(kid: string, alg = "RS256"): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

export interface TokenIssuer {
  readonly url: string;
  readonly key: SigningKey;
  /** Paths that were asked for, in order. */
  readonly requests: string[];
  /** The keys that it publishes. */
  keys: JWK[];
  /** Answers a path in another way. */
  readonly answers: Map<string, Responder>;
  sign(claims: object, options?: { key?: SigningKey; header?: Partial<JWTHeaderParameters> }): Promise<string>;
  close(): Promise<void>;
}

export const DISCOVERY = "/.well-known/openid-configuration";

export async function startTokenIssuer(alg = "RS256"): Promise<TokenIssuer> {
  const key = await createSigningKey("first", alg);
  const answers = new Map<string, Responder>();
  const requests: string[] = [];
  const send = (response: ServerResponse, body: unknown) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(body));
  };
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    requests.push(path);
    const answer = answers.get(path);
    if (answer) answer(request, response);
    else if (path === DISCOVERY) send(response, { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` });
    else if (path === "/keys") send(response, { keys: issuer.keys });
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer: TokenIssuer = {
    url,
    key,
    requests,
    keys: [key.publicJwk],
    answers,
    async sign(claims, { key: signer = key, header = {} } = {}) {
      return await new SignJWT({ iss: url, ...claims })
        .setProtectedHeader({ alg: signer.alg, kid: signer.kid, typ: "JWT", ...header })
        .sign(signer.privateKey);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return issuer;
}
