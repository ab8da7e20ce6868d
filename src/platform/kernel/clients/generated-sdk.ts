// Recognizes the generated SDK by its user agent. It is in the kernel because the rules of roles adapt to it as well.
import type { Release } from "./public-names.ts";

const GENERATED_SDK = /^speakeasy-sdk\/(\S+)(?: (\d+)\.(\d+)\.(\d+))?/;

export function isGeneratedSdk(userAgent: string | null | undefined): boolean {
  return typeof userAgent === "string" && GENERATED_SDK.test(userAgent);
}

/** The release of the generated SDK that a user agent names; undefined for other clients. */
export function generatedSdkRelease(userAgent: string): Release | undefined {
  const match = GENERATED_SDK.exec(userAgent);
  if (!match) return undefined;
  const [, language, major, minor, patch] = match;
  // SDKs in other languages number their releases differently; all of them are newer than the lists.
  if (language !== "typescript" || major === undefined) return [Infinity, 0, 0];
  return [Number(major), Number(minor), Number(patch)];
}
