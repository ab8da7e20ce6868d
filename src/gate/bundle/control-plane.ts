// What the gate asks of the control plane, over HTTP. Every call has a deadline; a redirect is not followed, because the key would go with it.
import { randomUUID } from "node:crypto";
import type { Cause, Step } from "../../firewall/evaluator/decision.ts";
import type { ProjectReference } from "../hosts.ts";

export interface ControlPlaneOptions {
  /** Without a slash at the end. */
  readonly server: string;
  /** The API key, which may be another one at each call. */
  readonly key: () => string;
}

/** The control plane has refused; the message says why, and the gate goes on with what it has. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly status: number;
  /** The project that is unknown to it; undefined: it has refused something else. */
  readonly projectId: unknown;

  constructor(status: number, message: string, projectId?: unknown) {
    super(message);
    this.status = status;
    this.projectId = projectId;
  }
}

/** What has answered is no control plane, or none that this version understands. The message says what it answers. */
export class UnusableAnswerError extends Error {
  override readonly name = "UnusableAnswerError";
}

export interface FetchedBundle {
  readonly etag: string | null;
  readonly text: string;
}

/** What a gate counts of one minute, host, action, address and rule. */
export interface TrafficCount {
  /** ms */
  readonly at: number;
  readonly host: string;
  readonly action: string;
  readonly ip?: string;
  readonly ruleId?: string;
  readonly count: number;
}

/** A decision with what led to it, without credentials. */
export interface DecisionSample {
  readonly id: string;
  /** ms */
  readonly at: number;
  readonly action: string;
  readonly status: number | null;
  readonly wouldBe: string | null;
  readonly reason: string | null;
  readonly detail?: string;
  readonly version: number | null;
  readonly by: Cause | null;
  readonly method: string;
  readonly scheme: "http" | "https";
  readonly host: string;
  readonly target: string;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly logged: readonly Cause[];
  /** Null: they were not recorded. */
  readonly steps: readonly Step[] | null;
  readonly omittedSteps: number;
}

/** What the application answered in a minute. */
export interface ResponseCount {
  /** ms */
  readonly at: number;
  readonly count: number;
  /** Those with status 500 or more. */
  readonly errors: number;
  /** By platform/kernel/telemetry/latencies.ts; absent: not measured. */
  readonly latencies?: readonly number[];
}

export interface ControlPlane {
  /** Null: the bundle is still the one with this `ETag`. */
  fetchBundle(project: ProjectReference, etag: string | null): Promise<FetchedBundle | null>;
  /** Reports once per id, however often it is sent. */
  reportTraffic(
    project: ProjectReference,
    id: string,
    counts: readonly TrafficCount[],
    responses: readonly ResponseCount[],
  ): Promise<void>;
  /** Reports samples; those whose ids it has are left out. */
  reportDecisions(project: ProjectReference, id: string, decisions: readonly DecisionSample[]): Promise<void>;
  /** Calls `onChange` with the project of each change, null for any, until the stream ends or fails. */
  listen(
    team: string | null,
    signal: AbortSignal,
    onOpen: () => void,
    onChange: (project: string | null) => void,
  ): Promise<void>;
}

/** What a control plane elsewhere takes as well: a gate within it renders nothing for another engine. */
export interface RemoteControlPlane extends ControlPlane {
  /** Says that this engine enforces the categories of `crs`; it is forgotten unless it is said again. */
  reportEngine(project: ProjectReference, engine: string): Promise<void>;
}

const TIMEOUT_MS = 10_000;
/** The stream has a comment every 15 s. */
const SILENCE_MS = 45_000;
/** A bundle is a configuration of at most 1 MB, thousands of bypasses, and little else. */
const MAX_BUNDLE_BYTES = 16_777_216;
const MAX_FRAME_LENGTH = 65_536;
const MAX_DESCRIBED = 200;

function queryOf({ team, project }: Partial<ProjectReference>): string {
  const query = new URLSearchParams();
  if (team) query.set(team.startsWith("team_") ? "teamId" : "slug", team);
  if (project !== undefined) query.set("projectId", project);
  return query.toString();
}

/** Reads a body up to a bound, in bytes. */
async function readText(response: Response, most: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > most) throw new UnusableAnswerError(`with more than ${most} bytes`);
    text += decoder.decode(chunk as Uint8Array, { stream: true });
  }
  return text + decoder.decode();
}

/** An answer with these statuses may be another one later, no matter who gives it. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);
/** These stay: nothing there implements the request, or the network wants somebody to log in. */
const LASTING: ReadonlySet<number> = new Set([501, 511]);

export function isPassing(status: number): boolean {
  return (status >= 500 && !LASTING.has(status)) || PASSING.has(status);
}

/** `301 to https://other.example/path`, or `404 (text/html)`. */
function describeAnswer({ status, headers, url }: Response): string {
  const leadsTo = URL.parse(headers.get("location") ?? "", url);
  if (status >= 300 && status < 400 && leadsTo) return `${status} to ${leadsTo.origin}${leadsTo.pathname}`;
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  return type === "" ? String(status) : `${status} (${type})`;
}

async function refusalOf(response: Response): Promise<RefusedError | UnusableAnswerError> {
  const { status } = response;
  const text = await readText(response, MAX_FRAME_LENGTH).catch(() => "");
  try {
    const { error } = JSON.parse(text) as { readonly error?: Readonly<Record<string, unknown>> };
    if (typeof error?.["message"] === "string" && typeof error["code"] === "string") {
      return new RefusedError(status, `${error["message"]} (${status})`, error["projectId"]);
    }
  } catch {
    // It is not the control plane that answered.
  }
  if (isPassing(status)) return new RefusedError(status, `status ${status}`);
  return new UnusableAnswerError(describeAnswer(response).slice(0, MAX_DESCRIBED));
}

/** The project that a frame of server-sent events names; undefined: it is another frame. */
function changeOf(frame: string): string | null | undefined {
  const lines = frame.split("\n");
  if (!lines.includes("event: change")) return undefined;
  const data = lines.flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : [])).join("\n");
  try {
    const { projectId } = JSON.parse(data) as { readonly projectId?: unknown };
    return typeof projectId === "string" ? projectId : null;
  } catch {
    return null;
  }
}

/** The projects that whole frames of the stream name. */
export function changesIn(frames: string): (string | null)[] {
  return frames.split("\n\n").flatMap((frame) => {
    const project = changeOf(frame);
    return project === undefined ? [] : [project];
  });
}

export function createControlPlane({ server, key }: ControlPlaneOptions): RemoteControlPlane {
  const headers = () => ({ authorization: `Bearer ${key()}`, "user-agent": "reeve-gate" });

  async function post(path: string, project: ProjectReference, id: string, body: object): Promise<void> {
    const response = await fetch(`${server}${path}?${queryOf(project)}`, {
      method: "POST",
      headers: { ...headers(), "content-type": "application/json", "idempotency-key": id },
      body: JSON.stringify(body),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status !== 200) throw await refusalOf(response);
    await response.body?.cancel();
  }

  return {
    async fetchBundle(project, etag) {
      const response = await fetch(`${server}/v1/gate/bundle?${queryOf(project)}`, {
        headers: { ...headers(), ...(etag !== null && { "if-none-match": etag }) },
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (response.status === 304 && etag !== null) return null;
      if (response.status !== 200) throw await refusalOf(response);
      return { etag: response.headers.get("etag"), text: await readText(response, MAX_BUNDLE_BYTES) };
    },

    reportTraffic: (project, id, counts, responses) =>
      post("/v1/firewalls/traffic", project, id, { counts, ...(responses.length > 0 && { responses }) }),
    reportDecisions: (project, id, decisions) => post("/v1/gate/decisions", project, id, { decisions }),
    reportEngine: (project, engine) => post("/v1/gate/engine", project, randomUUID(), { crs: engine }),

    async listen(team, signal, onOpen, onChange) {
      const silence = new AbortController();
      let timer = setTimeout(() => silence.abort(), TIMEOUT_MS);
      try {
        const response = await fetch(`${server}/v1/gate/stream?${queryOf({ team })}`, {
          headers: { ...headers(), accept: "text/event-stream" },
          redirect: "manual",
          signal: AbortSignal.any([signal, silence.signal]),
        });
        if (response.status !== 200) throw await refusalOf(response);
        onOpen();
        const decoder = new TextDecoder();
        let rest = "";
        for await (const chunk of response.body ?? []) {
          clearTimeout(timer);
          timer = setTimeout(() => silence.abort(), SILENCE_MS);
          const text = rest + decoder.decode(chunk as Uint8Array, { stream: true });
          const end = text.lastIndexOf("\n\n") + 1;
          rest = text.slice(end);
          if (rest.length > MAX_FRAME_LENGTH) throw new Error("the stream is not one of server-sent events");
          for (const project of changesIn(text.slice(0, end))) onChange(project);
        }
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
