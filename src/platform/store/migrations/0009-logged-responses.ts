import type { Migration } from "./migration.ts";

/**
 * Whether the log of a webhook stores responses. The stored responses of webhooks with headers of their own are deleted: receivers
 * may have echoed the values of those.
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
