// Statements that send webhooks, which are no part of a request, with values for their parameters: a webhook with many deliveries.
import { allStatements } from "../../src/platform/store/prepared.ts";
import type { SqlParams } from "../../src/platform/kernel/tx.ts";
import type { VersionStatement } from "./versions.ts";

/** Of each that is named. A row of each table, and what is checked. */
const ROWS_OF_EACH = 3;

export function deliveryStatements(ownerId: string, webhookId: string): readonly VersionStatement[] {
  const sequences = Array.from({ length: 20 }, (_, at) => 1_500 + 7 * at);
  const each = (made: object) => JSON.stringify(sequences.map((sequence) => ({ webhookId, sequence, ...made })));
  const outcome = { attempts: 0, tries: 1, state: "delivered", dueAt: null, status: 200, errorStage: null };
  const params: Readonly<Record<string, SqlParams>> = {
    "webhookDeliveries.update": { outcomes: each(outcome), now: 1 },
    "webhookDeliveries.deleteFinished": { keys: each({}) },
    "webhookDeliveries.deleteAll": { keys: each({}) },
    "webhookDeliveries.requeueAll": {
      webhookId,
      ownerId,
      from: 1_500,
      to: 1_640,
      sequences: JSON.stringify(sequences),
      now: 1,
    },
    "webhookAttempts.delete": { attempts: each({ number: 1 }) },
    "webhookAttempts.deleteOf": { keys: each({}) },
    "events.readEachToSend": { ownerId, sequences: JSON.stringify(sequences) },
    "events.findSizesAt": { ownerId, sequences: JSON.stringify(sequences) },
    "events.readRangeToSend": { ownerId, first: 1_500, last: 1_519 },
    "pruning.deleteEvents": { ownerId, sequence: 1_005 },
  };
  return allStatements()
    .filter(({ name }) => params[name] !== undefined)
    .map((statement) => ({
      statement,
      params: params[statement.name] as SqlParams,
      // A range of 140 sequences, of which each row is compared.
      rows: statement.name === "webhookDeliveries.requeueAll" ? 150 : ROWS_OF_EACH * sequences.length,
    }));
}
