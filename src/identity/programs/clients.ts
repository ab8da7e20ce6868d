// The programs that may ask for access tokens, as data. A public client has no secret: anyone who runs it could read one.

export interface OAuthClient {
  readonly id: string;
  /** For the person who approves. */
  readonly name: string;
  /** The beginning of the names of its tokens. */
  readonly tokenName: string;
  /** How it asks: by a code that people type in, or by a browser on the machine that it runs on. */
  readonly flow: "device" | "loopback";
}

export const CLIENTS: readonly OAuthClient[] = [
  { id: "reeve-cli", name: "the Reeve command line", tokenName: "reeve login", flow: "device" },
  // For any program on the machine of the person, so a person approves each time. RFC 8252, section 8.6
  { id: "reeve-local", name: "a program on this computer", tokenName: "local program", flow: "loopback" },
];

/** The one scope: what the person who approves may do, within the limits that they choose. */
export const API_SCOPE = "api";

export function findClient(id: string): OAuthClient | undefined {
  return CLIENTS.find((client) => client.id === id);
}
