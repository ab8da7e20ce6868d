// The generated client announces itself, and has habits that need an answer (kernel, because rules of roles know one).
const GENERATED_SDK = /^speakeasy-sdk\//;

export function isGeneratedSdk(userAgent: string | null | undefined): boolean {
  return typeof userAgent === "string" && GENERATED_SDK.test(userAgent);
}
