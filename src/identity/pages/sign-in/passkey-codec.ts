// What a browser's credential says, as JSON, and the options for one, from JSON: for the pages without app and for the console. Password
// managers return objects that only look native, and older browsers have neither toJSON nor parse*FromJSON.

/** The fields of a PublicKeyCredential, of any realm; each may be missing, or throw. */
interface LooseCredential {
  readonly id?: unknown;
  readonly rawId?: unknown;
  readonly authenticatorAttachment?: unknown;
  readonly response?: Readonly<Record<string, unknown>> & { getTransports?: () => Iterable<unknown> };
  toJSON?: () => unknown;
}

/** Options of a server (PublicKeyCredentialCreationOptionsJSON or -RequestOptionsJSON). */
interface JsonOptions {
  readonly challenge: string;
  readonly user?: { readonly id: string };
  readonly excludeCredentials?: readonly { readonly id: string }[];
  readonly allowCredentials?: readonly { readonly id: string }[];
}

/** Needs nothing from outside of itself: the pages get its source. */
export function createPasskeyCodec() {
  /** What somebody else's code returns; undefined: it throws. */
  function attempt<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch {
      return undefined;
    }
  }

  function decode(text: string): Uint8Array<ArrayBuffer> {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  }

  function bytesOf(value: object): Uint8Array {
    if (!ArrayBuffer.isView(value)) return new Uint8Array(value as ArrayBuffer);
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }

  /** Bytes of any realm as base64url, which some password managers give already; undefined: it is neither. */
  function encode(value: unknown): string | undefined {
    if (typeof value === "string") {
      const text = value.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
      return /^[\w-]+$/.test(text) ? text : undefined;
    }
    if (typeof value !== "object" || value === null) return undefined;
    const bytes = attempt(() => bytesOf(value));
    if (bytes === undefined || bytes.length === 0) return undefined;
    return encode(btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")));
  }

  /** The first part of a response that is no text; null: there is all that a server needs. */
  function findMissing(response: Readonly<Record<string, unknown>> | undefined): string | null {
    const isText = (name: string) => typeof response?.[name] === "string";
    if (!isText("clientDataJSON")) return "clientDataJSON";
    if (isText("attestationObject")) return null;
    return ["authenticatorData", "signature"].find((name) => !isText(name)) ?? null;
  }

  function isWhole(json: unknown): boolean {
    const { id, response } = Object(json) as { id?: unknown; response?: Readonly<Record<string, unknown>> };
    return typeof id === "string" && findMissing(response) === null;
  }

  function readTransports({ response }: LooseCredential): readonly unknown[] | undefined {
    const given = attempt(() => response?.getTransports?.()) ?? attempt(() => response?.["transports"]) ?? [];
    const transports = attempt(() => Array.from(given as Iterable<unknown>));
    return transports?.filter((one) => typeof one === "string");
  }

  function readFields(credential: LooseCredential): Readonly<Record<string, unknown>> {
    const response = attempt(() => credential.response);
    const names = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
    const parts = Object.fromEntries(names.map((name) => [name, encode(attempt(() => response?.[name]))]));
    const id = encode(attempt(() => credential.rawId)) ?? encode(attempt(() => credential.id));
    const missing = id === undefined ? "id" : findMissing(parts);
    if (missing !== null) {
      throw new Error(
        `The passkey that this browser or its password manager returned can't be read: it has no ${missing}. Use another passkey, or switch off passkeys in the password manager.`,
      );
    }
    const attachment = attempt(() => credential.authenticatorAttachment);
    const transports = attempt(() => readTransports({ response } as LooseCredential));
    return {
      id,
      rawId: id,
      type: "public-key",
      response: { ...parts, ...(parts["attestationObject"] !== undefined && transports && { transports }) },
      ...(typeof attachment === "string" && { authenticatorAttachment: attachment }),
      clientExtensionResults: {},
    };
  }

  return {
    /** What `navigator.credentials.create` and `get` take. */
    readOptions({ challenge, user, excludeCredentials, allowCredentials, ...rest }: JsonOptions) {
      const read = <T extends { readonly id: string }>(one: T) => ({ ...one, id: decode(one.id) });
      return {
        ...rest,
        challenge: decode(challenge),
        ...(user && { user: read(user) }),
        ...(excludeCredentials && { excludeCredentials: excludeCredentials.map(read) }),
        ...(allowCredentials && { allowCredentials: allowCredentials.map(read) }),
      };
    },

    /** What a server takes (RegistrationResponseJSON or AuthenticationResponseJSON). Throws a sentence for people. */
    describe(credential: unknown): Readonly<Record<string, unknown>> {
      const given = Object(credential) as LooseCredential;
      const json = attempt(() => given.toJSON?.());
      return readFields(isWhole(json) ? (json as LooseCredential) : given);
    },
  };
}
