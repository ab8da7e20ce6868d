// Streamed responses as clients read them: over real sockets, with server-sent events parsed by their standard.
import { once } from "node:events";
import { get } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { App } from "../../src/serve/app.ts";
import type { Body } from "../harness/test-app.ts";

/** Makes an app listen on a free port, and returns the port. */
export async function listen({ server }: App): Promise<number> {
  await server.listen({ host: "127.0.0.1", port: 0 });
  return (server.server.address() as AddressInfo).port;
}

/** Sends a GET and resolves as soon as the response headers arrive. */
export async function openResponse(
  port: number,
  path: string,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<IncomingMessage> {
  const authorization = `Bearer ${token}`;
  const request = get({ host: "127.0.0.1", port, path, headers: { authorization, ...headers }, agent: false });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  // From here on errors come from the response.
  request.on("error", () => undefined);
  return response;
}

export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Body;
}

export interface EventListener {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly events: readonly ReceivedEvent[];
  /** The body of a refusal. */
  readonly refusal: Body;
  /** The `Last-Event-ID` that the client would send to reconnect. */
  readonly lastEventId: string;
  readonly retryMs: number | null;
  readonly comments: number;
  /** Resolves as soon as `isSo` is true, which is checked after each chunk. */
  until(isSo: (listener: EventListener) => boolean): Promise<void>;
  /** Resolves when the server ends the stream, with whether it ended properly. */
  readonly ended: Promise<boolean>;
  pause(): void;
  resume(): void;
  close(): void;
}

/** Reads a stream of server-sent events. */
export async function listenTo(
  port: number,
  path: string,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventListener> {
  const response = await openResponse(port, path, token, { accept: "text/event-stream", ...headers });
  response.setEncoding("utf8");
  const events: ReceivedEvent[] = [];
  const seen = { lastEventId: headers["last-event-id"] ?? "", retryMs: null as number | null, comments: 0 };
  let refusal: Body = null;
  let rest = "";
  let pending = { type: "message", data: [] as string[], id: seen.lastEventId };
  let onChunk = () => {};

  function takeLine(line: string): void {
    if (line === "") {
      seen.lastEventId = pending.id;
      const { type, data, id } = pending;
      if (data.length > 0) events.push({ id, type, data: JSON.parse(data.join("\n")) });
      pending = { type: "message", data: [], id };
      return;
    }
    if (line.startsWith(":")) {
      seen.comments++;
      return;
    }
    const [, field = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === "id") pending.id = value;
    else if (field === "event") pending.type = value;
    else if (field === "data") pending.data.push(value);
    else if (field === "retry") seen.retryMs = Number(value);
    else throw new Error(`unexpected line ${line}`);
  }

  const ended = new Promise<boolean>((resolve) => response.once("close", () => resolve(response.complete)));
  response.on("error", () => undefined);
  response.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() as string;
    if (response.statusCode === 200) lines.forEach(takeLine);
    onChunk();
  });
  if (response.statusCode !== 200) {
    await once(response, "end");
    refusal = JSON.parse(rest).error;
  }
  const listener: EventListener = {
    status: response.statusCode as number,
    headers: response.headers,
    events,
    refusal,
    get lastEventId() {
      return seen.lastEventId;
    },
    get retryMs() {
      return seen.retryMs;
    },
    get comments() {
      return seen.comments;
    },
    async until(isSo) {
      while (!isSo(listener)) {
        await new Promise<void>((resolve) => {
          onChunk = resolve;
        });
      }
    },
    ended,
    pause: () => response.pause(),
    resume: () => response.resume(),
    close: () => response.destroy(),
  };
  return listener;
}
