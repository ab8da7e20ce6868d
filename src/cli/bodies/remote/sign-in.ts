// Signs the command line in: it asks the server for a code, a person approves that in a browser, and the server gives a token.
// RFC 8628
import { hostname } from "node:os";
import { setTimeout } from "node:timers/promises";
import { Failure } from "../../../platform/outcomes/failure.ts";
import { notReeve } from "./remote-failure.ts";
import type { ContextEntry, Context, Contexts } from "./contexts.ts";
import type { RemoteFlags } from "./connection.ts";
import type { RemoteSettings } from "../../../serve/config/remote-settings.ts";
import { SECOND_MS } from "../../../platform/kernel/scheduling/clock.ts";
import { callServer, whereAllowed } from "./connection.ts";
import { describeContext, readContexts, writeContexts } from "./contexts.ts";
import { CLIENT_ID, revoke } from "./revoke.ts";
import { postForm } from "./server-client.ts";
import type { FormAnswer } from "./server-client.ts";

/** What a person has to approve in a browser. */
export interface DeviceSignIn {
  /** The page, with the code filled in. */
  readonly url: string;
  /** What the page has to show. */
  readonly userCode: string;
  /** How long there is to approve it, ms. */
  readonly expiresInMs: number;
  /** A remark about the connection; null: none. */
  readonly warning: string | null;
}

const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const DEFAULT_INTERVAL_S = 5;
/** Each `slow_down` makes the interval longer by this, ms. */
const SLOW_DOWN_MS = 5 * SECOND_MS;

interface DeviceCode {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete?: string;
  /** Seconds. */
  readonly expires_in: number;
  /** Seconds. */
  readonly interval?: number;
}

interface Token {
  readonly access_token: string;
  /** Seconds; absent: it does not end. */
  readonly expires_in?: number;
}

function isDeviceCode(body: unknown): body is DeviceCode {
  const { device_code: code, user_code: shown, verification_uri: uri, expires_in: end } = (body ?? {}) as DeviceCode;
  return [code, shown, uri].every((text) => typeof text === "string") && Number.isFinite(end);
}

/** What the server shows to the person who approves. */
function nameDevice(): string {
  return hostname()
    .replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, "")
    .slice(0, 64);
}

async function begin(server: string): Promise<DeviceCode> {
  const name = nameDevice();
  const form = { client_id: CLIENT_ID, ...(name !== "" && { device_name: name }) };
  const answer = await postForm(server, "/oauth/device_authorization", form);
  if (answer.status !== 200) {
    // A program that knows no such path says so in a form of its own.
    throw answer.status === 404 || answer.status === 405 ? notReeve(server) : await answer.failure();
  }
  if (!isDeviceCode(answer.body)) throw notReeve(server);
  return answer.body;
}

const REFUSALS: Readonly<Record<string, string>> = {
  expired_token: "the code expired before anybody approved it: run `reeve login` again",
  access_denied: "the request was refused in the browser",
};

/** The token, or how long to wait before asking again, ms. */
async function readAnswer({ status, body, failure }: FormAnswer, intervalMs: number): Promise<Token | number> {
  if (status === 200 && typeof body?.["access_token"] === "string") return body as unknown as Token;
  const error = body?.["error"];
  if (error === "authorization_pending") return intervalMs;
  if (error === "slow_down") return intervalMs + SLOW_DOWN_MS;
  const refusal = typeof error === "string" ? REFUSALS[error] : undefined;
  if (refusal !== undefined)
    throw new Failure(error === "access_denied" ? "denied" : "refused", refusal, String(error));
  // A server that restarts, or has too much to do, knows the code afterwards.
  if (status === 429 || status >= 500) return intervalMs;
  throw await failure();
}

/** Asks for the token until somebody has decided, or the code expires. */
async function awaitToken(server: string, code: DeviceCode): Promise<Token> {
  const form = { client_id: CLIENT_ID, grant_type: DEVICE_GRANT, device_code: code.device_code };
  const endsAt = Date.now() + code.expires_in * SECOND_MS;
  let intervalMs = (code.interval ?? DEFAULT_INTERVAL_S) * SECOND_MS;
  for (;;) {
    await setTimeout(intervalMs);
    try {
      const answer = await readAnswer(await postForm(server, "/oauth/token", form), intervalMs);
      if (typeof answer === "object") return answer;
      intervalMs = answer;
    } catch (error) {
      // A connection that fails for a moment costs nothing: the code is still valid.
      if (!(error instanceof Failure) || error.exit !== "unavailable" || Date.now() > endsAt) throw error;
    }
    if (Date.now() > endsAt) throw new Failure("refused", REFUSALS["expired_token"] as string, "expired_token");
  }
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

function warnOf(server: string): string | null {
  const { protocol, hostname: host } = new URL(server);
  if (protocol === "https:" || LOOPBACK.test(host)) return null;
  return `The connection to ${server} is not encrypted: others on the network can read the token.`;
}

/** Which server to sign in to, and the name of its context. */
function choose(contexts: Contexts, settings: RemoteSettings, flags: RemoteFlags) {
  const known = flags.context ?? contexts.current;
  const ofContext = known !== null && Object.hasOwn(contexts.contexts, known) ? contexts.contexts[known] : undefined;
  const server = settings.server ?? ofContext?.server;
  if (server === undefined) {
    throw new Failure("usage", "which server? Give its URL: `reeve login --server URL`");
  }
  const name = flags.context ?? new URL(server).host;
  const taken = Object.hasOwn(contexts.contexts, name) ? contexts.contexts[name] : undefined;
  if (taken && taken.server !== server) {
    throw new Failure("conflict", `the context ${name} is of ${taken.server}: give another name with --context`);
  }
  return { server, name, earlier: taken };
}

export async function signIn(
  settings: RemoteSettings,
  flags: RemoteFlags,
  announce: (device: DeviceSignIn) => void,
): Promise<ContextEntry> {
  const { contextsFile: file } = settings;
  const { server, name, earlier } = choose(await readContexts(file), settings, flags);
  const code = await begin(server);
  announce({
    url: code.verification_uri_complete ?? code.verification_uri,
    userCode: code.user_code,
    expiresInMs: code.expires_in * SECOND_MS,
    warning: warnOf(server),
  });
  const { access_token: token, expires_in: endsInS } = await awaitToken(server, code);
  const expiresAt = endsInS === undefined ? null : Date.now() + endsInS * SECOND_MS;
  const found = await callServer({ server, token, context: name }, (client) =>
    whereAllowed(client.call("getCurrentUser")),
  );
  const username = found?.user.username ?? "";
  const context: Context = { server, token, username, expiresAt };
  // Read again: another command may have changed the file while a person was deciding.
  const { contexts } = await readContexts(file);
  const changed = { current: name, contexts: { ...contexts, [name]: context } };
  await writeContexts(file, changed);
  // The token that this one replaces would stay valid, known to nobody. Its server may be older than this command.
  if (earlier) await revoke(earlier).catch(() => undefined);
  return describeContext(changed, name, context);
}
