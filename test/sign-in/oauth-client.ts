// A client of the authorization server in tests, and the person who approves it.
import type { TestResponse, RequestOptions, TestApp, TestUser } from "../harness/test-app.ts";
import { openSession } from "./open-session.ts";

export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
/** A little more than a client has to wait between two requests for a token, ms. */
export const POLL_MS = 5_100;

type Fields = Readonly<Record<string, string>>;

export function form(fields: Fields): RequestOptions {
  return {
    token: null,
    body: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  };
}

export interface BegunDevice {
  readonly device_code: string;
  readonly user_code: string;
}

export function createOAuthClient(client: Pick<TestApp, "app" | "clock" | "request">) {
  const { clock, request } = client;

  async function post(path: string, fields: Fields, more: RequestOptions = {}): Promise<TestResponse> {
    const options = form({ client_id: "reeve-cli", ...fields });
    return await request("POST", path, { ...options, ...more, headers: { ...options.headers, ...more.headers } });
  }

  async function begin(fields: Fields = { device_name: "laptop" }, more: RequestOptions = {}): Promise<BegunDevice> {
    const begun = await post("/oauth/device_authorization", fields, more);
    if (begun.status !== 200) throw new Error(`begin: ${begun.text}`);
    return begun.body;
  }

  /** Asks for the token of a device code, not too early. */
  async function poll({ device_code }: BegunDevice): Promise<TestResponse> {
    clock.advance(POLL_MS);
    return await post("/oauth/token", { grant_type: DEVICE_GRANT, device_code });
  }

  async function submit(session: string, fields: Fields, path = "/console/device"): Promise<TestResponse> {
    return await request("POST", path, { ...form(fields), session });
  }

  /** Decides about a code on the page. */
  async function decide(user: TestUser, { user_code }: BegunDevice, fields: Fields = {}): Promise<TestResponse> {
    const { session } = await openSession(client, user);
    return await submit(session, { user_code, action: "approve", team: "", lifetime: "30", ...fields });
  }

  /** The token of a user, by the whole flow. */
  async function signIn(user: TestUser, fields: Fields = {}): Promise<string> {
    const begun = await begin();
    const decided = await decide(user, begun, fields);
    if (decided.status !== 200) throw new Error(`decide: ${decided.status} ${decided.text}`);
    const taken = await poll(begun);
    if (taken.status !== 200) throw new Error(`poll: ${taken.text}`);
    return taken.body.access_token;
  }

  return { post, begin, poll, submit, decide, signIn };
}
