// What the log says of a webhook that leads nowhere: its owner is not told what a name resolves to.
import type { FastifyBaseLogger } from "fastify";
import { isAboutAddress } from "./egress/egress-error.ts";
import type { EgressFailure } from "./egress/egress-error.ts";

export function noteUnreachable(
  logger: FastifyBaseLogger,
  { ownerId, webhookId }: { readonly ownerId: string; readonly webhookId: string },
  { stage, message }: EgressFailure,
): void {
  if (!isAboutAddress(stage)) return;
  logger.warn({ webhook: webhookId, owner: ownerId, stage }, `a webhook can't be reached: ${message}`);
}
