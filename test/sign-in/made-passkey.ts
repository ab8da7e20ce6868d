// What a browser's authenticator makes when it is asked for a new passkey, without a browser.
import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";

interface Asked {
  readonly challenge: string;
  readonly rp: { readonly id?: string };
}

/** The origin of requests that tests send in process. */
const ORIGIN = "http://localhost:80";
/** The person was there, was verified, and a credential is attached. */
const FLAGS = 0x45;

/** An ES256 key as COSE has it. */
function newPublicKey(): Uint8Array {
  const { x = "", y = "" } = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" });
  const entries: [number, number | Uint8Array][] = [
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, new Uint8Array(Buffer.from(x, "base64url"))],
    [-3, new Uint8Array(Buffer.from(y, "base64url"))],
  ];
  return isoCBOR.encode(new Map(entries));
}

/** RegistrationResponseJSON */
export function makePasskey({ challenge, rp: { id: host = "" } }: Asked, origin = ORIGIN) {
  const credentialId = randomBytes(16);
  const authData = Buffer.concat([
    createHash("sha256").update(host).digest(),
    Buffer.from([FLAGS, 0, 0, 0, 0]),
    Buffer.alloc(16),
    Buffer.from([0, credentialId.length]),
    credentialId,
    newPublicKey(),
  ]);
  const attestation = new Map<string, unknown>([
    ["fmt", "none"],
    ["attStmt", new Map()],
    ["authData", new Uint8Array(authData)],
  ]);
  const clientData = { type: "webauthn.create", challenge, origin, crossOrigin: false };
  const id = credentialId.toString("base64url");
  return {
    id,
    rawId: id,
    type: "public-key",
    response: {
      clientDataJSON: Buffer.from(JSON.stringify(clientData)).toString("base64url"),
      attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString("base64url"),
      transports: ["internal"],
    },
    clientExtensionResults: {},
  };
}
