import type { Dialect, Migration } from "./migration.ts";

/**
 * What limits an API key and an access token beside its owner and role: `limits` is a JSON object with projects, environments and
 * names. Null, as for every credential from before: nothing.
 */
export const narrowCredentials: Migration = {
  version: 27,
  name: "narrow-credentials",
  statements: ({ text }: Dialect) => [
    `alter table api_keys add column limits ${text}`,
    `alter table access_tokens add column permissions ${text}`,
    `alter table access_tokens add column limits ${text}`,
    `alter table access_tokens add column allowed_cidrs ${text}`,
  ],
};
