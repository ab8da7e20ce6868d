// An HTTP server for health and metrics only, for processes without the API.
import { createServer } from "./node-http.ts";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyBaseLogger } from "fastify";
import { ApiError } from "../kernel/errors.ts";
import { newId } from "../kernel/ids.ts";
import type { Metrics } from "../kernel/telemetry/metrics.ts";
import { JSON_TYPE } from "./requests/accept.ts";
import type { FailedCheck } from "../operations/operation-runner.ts";
import { respondToClientError } from "./node-server.ts";
import { errorDocs, renderError, toApiError } from "./responses/error-response.ts";
import { METRICS_TYPE, createMetricsPage } from "./metrics-page.ts";
import { describeReadiness } from "./readiness.ts";

interface OperatorServerOptions {
  readonly logger: Pick<FastifyBaseLogger, "error" | "info">;
  readonly metrics: Metrics;
  /** Base of absolute URLs, without a slash at the end; empty for relative ones. */
  readonly publicUrl: string;
  findFailedChecks(): Promise<readonly FailedCheck[]>;
}

interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

function page(body: unknown): Page {
  return { status: 200, contentType: JSON_TYPE, body: JSON.stringify(body) };
}

/** Creates the server; it does not listen yet. */
export function createOperatorServer(options: OperatorServerOptions): Server {
  const { logger, metrics, findFailedChecks, publicUrl } = options;
  const metricsPage = createMetricsPage(metrics);
  const pages: Readonly<Record<string, () => Promise<Page>>> = {
    "/health/live": async () => page({ status: "live" }),
    "/health/ready": async () => page(describeReadiness(await findFailedChecks())),
    "/metrics": async () => ({ status: 200, contentType: METRICS_TYPE, body: await metricsPage.render() }),
  };

  async function find({ url = "", headers }: IncomingMessage, requestId: string): Promise<Page> {
    const [path = ""] = url.split("?");
    try {
      const build = Object.hasOwn(pages, path) ? pages[path] : undefined;
      if (!build) throw new ApiError("not_found", `There is no such path; there are ${Object.keys(pages).join(", ")}`);
      return await build();
    } catch (error) {
      // The response to an unknown failure says nothing but this id.
      if (!(error instanceof ApiError)) logger.error({ err: error, requestId }, "request failed");
      return renderError(toApiError(error, requestId), {
        requestId,
        accept: headers.accept,
        docsUrl: errorDocs(publicUrl),
      });
    }
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = newId("request");
    const { status, contentType, body } = await find(request, requestId);
    const headers = { "x-request-id": requestId, "cache-control": "no-store", "x-content-type-options": "nosniff" };
    response.writeHead(status, { "content-type": contentType, ...headers }).end(body);
  }

  const server = createServer((request, response) => {
    // Discard the body.
    request.resume();
    void respond(request, response);
  });
  return server.on("clientError", (error, socket) => respondToClientError(error, socket as Socket, options));
}
