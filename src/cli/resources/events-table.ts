// The commands of events and webhooks, as data.
import { countsNote } from "./counts-note.ts";
import type { Resource } from "./row.ts";

const load = async () => await import("../commands/events.ts");

export const events: Resource = {
  name: "events",
  summary: "list, follow, export and verify the recorded events, and sign checkpoints",
  commands: {
    list: {
      operation: "listEvents",
      columns: ["createdAt", "sequence", "type", "text"],
      examples: [
        "reeve events list --team acme --types 'secret-*'",
        "reeve events list --team acme --limit 500 --json sequence,type",
        "reeve events list --local --since 2030-01-01",
      ],
      local: async () => (await import("../commands/events-list.ts")).eventsListCommand,
    },
    tail: {
      load: async () => (await import("./events-tail.ts")).eventsTailCommand,
      operations: ["streamEvents"],
    },
    export: {
      load: async () => (await import("./events-export.ts")).eventsExportCommand,
      operations: ["exportEvents"],
    },
    types: {
      operation: "listEventTypes",
      list: "types",
      columns: ["name", "publishable", "description"],
      examples: ["reeve events types"],
    },
    publish: {
      operation: "publishEvent",
      summary: "publish an event of a type that `reeve events types` calls publishable",
      args: ["type"],
      examples: ["reeve events publish deployment.ready --team acme --text 'brought version 2 live'"],
    },
    "checkpoints list": {
      operation: "listCheckpoints",
      columns: ["sequence", "createdAt", "hash"],
      examples: ["reeve events checkpoints list --team acme"],
    },
    "checkpoints create": {
      operation: "createCheckpoint",
      shown: "checkpoint",
      examples: ["reeve events checkpoints create --team acme --json '*'"],
    },
    verify: { load: async () => (await load()).eventsVerifyCommand, operations: [] },
    checkpoint: { load: async () => (await load()).eventsCheckpointCommand, operations: [] },
  },
};

export const webhooks: Resource = {
  name: "webhooks",
  summary: "create and test webhooks, and see and repeat their deliveries",
  commands: {
    list: {
      operation: "listWebhooks",
      columns: ["url", "events", "active", "id"],
      examples: ["reeve webhooks list --team acme"],
    },
    view: { operation: "getWebhook", examples: ["reeve webhooks view WEBHOOK_ID --team acme"] },
    create: {
      operation: "createWebhook",
      args: ["url"],
      once: "secret",
      examples: ["reeve webhooks create https://hooks.example.com/ --team acme --events 'team-*,secret-*'"],
    },
    update: {
      operation: "updateWebhook",
      examples: ["reeve webhooks update WEBHOOK_ID --team acme --no-active"],
    },
    delete: {
      operation: "deleteWebhook",
      confirm: "Delete the webhook {webhookId}?",
      preview: "getWebhook",
      done: "Deleted the webhook {webhookId}.",
      examples: ["reeve webhooks delete WEBHOOK_ID --team acme --dry-run"],
    },
    "rotate-secret": {
      operation: "rotateWebhookSecret",
      once: "secret",
      examples: ["reeve webhooks rotate-secret WEBHOOK_ID --team acme --overlap-ms 86400000"],
    },
    test: { operation: "testWebhook", examples: ["reeve webhooks test WEBHOOK_ID --team acme"] },
    deliveries: {
      operation: "listAllDeliveries",
      columns: ["createdAt", "state", "type", "attempts", "webhookId", "id"],
      presets: { failed: { query: { state: "failed" }, help: "only those that were given up" } },
      pageNote: ({ counts }) => countsNote(counts),
      examples: [
        "reeve webhooks deliveries --failed --team acme",
        "reeve webhooks deliveries --team acme --webhook-id WEBHOOK_ID --status 5xx",
        "reeve webhooks deliveries --team acme --with-counts --limit 1",
      ],
    },
    delivery: {
      operation: "getDelivery",
      examples: ["reeve webhooks delivery WEBHOOK_ID DELIVERY_ID --team acme --json attempts"],
    },
    redeliver: {
      operation: "redeliver",
      shown: "delivery",
      examples: ["reeve webhooks redeliver WEBHOOK_ID DELIVERY_ID --team acme"],
    },
    replay: {
      operation: "replayWebhook",
      shown: "replay",
      examples: ["reeve webhooks replay WEBHOOK_ID --team acme --since 2030-01-01 --states failed"],
    },
    "replay-progress": {
      operation: "getReplay",
      shown: "replay",
      examples: ["reeve webhooks replay-progress WEBHOOK_ID REPLAY_ID --team acme"],
    },
  },
};
