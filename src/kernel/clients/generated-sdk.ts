// The generated client announces itself, and has habits that need an answer (kernel, because rules of roles know one).
import type { Release } from "./public-names.ts";

const GENERATED_SDK = /^speakeasy-sdk\/(\S+)(?: (\d+)\.(\d+)\.(\d+))?/;

export function isGeneratedSdk(userAgent: string | null | undefined): boolean {
  return typeof userAgent === "string" && GENERATED_SDK.test(userAgent);
}

/** The release of the generated client that a user agent names; undefined for everybody else. */
export function generatedSdkRelease(userAgent: string): Release | undefined {
  const match = GENERATED_SDK.exec(userAgent);
  if (!match) return undefined;
  const [, language, major, minor, patch] = match;
  // Clients in other languages number their releases otherwise; they are newer than the lists.
  if (language !== "typescript" || major === undefined) return [Infinity, 0, 0];
  return [Number(major), Number(minor), Number(patch)];
}
