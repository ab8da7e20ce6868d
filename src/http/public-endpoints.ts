// What anybody may ask without a credential, as data: nothing in it is a secret, and nothing in it is the product.
import type { ErrorCode } from "../kernel/errors.ts";

export interface PublicEndpoint {
  readonly id: string;
  readonly path: string;
  readonly summary: string;
  readonly contentType: string;
  readonly errors: readonly ErrorCode[];
}

export const PUBLIC_ENDPOINTS = [
  {
    id: "getOpenApi",
    path: "/openapi.json",
    summary: "This document",
    contentType: "application/json",
    errors: ["bad_request"],
  },
  {
    id: "getReference",
    path: "/docs",
    summary: "The reference, for people",
    contentType: "text/html",
    errors: ["bad_request"],
  },
  {
    id: "getLiveness",
    path: "/health/live",
    summary: "Whether the process answers",
    contentType: "application/json",
    errors: ["bad_request"],
  },
  {
    id: "getReadiness",
    path: "/health/ready",
    summary: "Whether requests can be served, and what is wrong when they can't, with advice for the operator",
    contentType: "application/json",
    errors: ["bad_request", "not_ready", "shutting_down"],
  },
  {
    id: "getMetrics",
    path: "/metrics",
    summary: "Counts and timings in the Prometheus text format",
    contentType: "text/plain",
    errors: ["bad_request"],
  },
] as const satisfies readonly PublicEndpoint[];

export type PublicEndpointId = (typeof PUBLIC_ENDPOINTS)[number]["id"];
