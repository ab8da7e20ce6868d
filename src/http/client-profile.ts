// A generated SDK rejects a whole response for one name outside its closed lists. For a client that announces itself
// as such, and for it alone, those names are left out; everybody else sees everything.
import { isGeneratedSdk } from "../kernel/generated-sdk.ts";

type Adapt = (result: unknown) => unknown;

/** What is left out, per endpoint. */
const ADAPTATIONS: Readonly<Record<string, Adapt>> = {};

export function adaptForClient(userAgent: string | undefined, operation: string, result: unknown): unknown {
  const adapt = ADAPTATIONS[operation];
  return adapt && isGeneratedSdk(userAgent) ? adapt(result) : result;
}
