// Takes webhooks for this process, and gives back what a taking has whose answer was lost: the store may have committed it
// before it broke off, and nobody would deliver to these webhooks until their lease ends.
import type { Clock } from "../kernel/scheduling/clock.ts";
import type { CommandRunner } from "../kernel/internal-commands.ts";
import type { TakenQueue, Taking, queueCommands } from "./queue/queue.ts";

export interface Taker {
  take(order: Taking): Promise<readonly TakenQueue[]>;
  /** Gives back what takings may have that failed; to be called before what is ready is looked for. */
  undoFailed(): Promise<void>;
}

export function createTaker(commands: CommandRunner<typeof queueCommands>, clock: Clock): Taker {
  const failedHolders = new Set<string>();
  return {
    async take(order) {
      try {
        return await commands.takeWebhooks(order, clock());
      } catch (error) {
        failedHolders.add(order.holder);
        throw error;
      }
    },
    async undoFailed() {
      for (const holder of failedHolders) {
        await commands.undoTaking(holder, clock());
        failedHolders.delete(holder);
      }
    },
  };
}
