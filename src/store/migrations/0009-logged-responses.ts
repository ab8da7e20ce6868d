import type { Migration } from "./migration.ts";

/**
 * Whether responses of a webhook are kept in its log. What is there of webhooks with headers of their own is forgotten:
 * receivers may have echoed their values.
 */
export const loggedResponses: Migration = {
  version: 9,
  name: "logged responses",
  statements: () => [
    `alter table webhooks add column logs_responses integer`,
    `update webhook_attempts set response_headers = '{}', response_body = '(not logged)', is_truncated = 0
      where status is not null and webhook_id in (select id from webhooks where header_names <> '[]')`,
  ],
};
