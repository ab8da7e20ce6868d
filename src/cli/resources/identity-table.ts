// The commands of workload identity, as data.
import type { Resource } from "./row.ts";

export const identity: Resource = {
  name: "identity",
  summary: "trust signed tokens of other issuers, and explain them",
  commands: {
    "trusts list": {
      operation: "listIdentityTrusts",
      columns: ["name", "issuer", "audience", "role", "activeAt", "suspendedAt", "id"],
      examples: ["reeve identity trusts list --team acme"],
    },
    "trusts view": {
      operation: "getIdentityTrust",
      shown: "trust",
      examples: ["reeve identity trusts view TRUST_ID --team acme --json '*'"],
    },
    "trusts create": {
      operation: "createIdentityTrust",
      shown: "trust",
      examples: [
        "reeve identity trusts create --team acme --input trust.json --names 'SHOP_*' --dry-run",
        "reeve identity trusts create --team acme --input trust.json --role DEVELOPER --permissions secret:read,secret:reveal",
      ],
    },
    "trusts update": {
      operation: "updateIdentityTrust",
      shown: "trust",
      examples: [
        "reeve identity trusts update TRUST_ID --team acme --audience https://reeve.example.com",
        "reeve identity trusts update TRUST_ID --team acme --adopt",
      ],
    },
    "trusts delete": {
      operation: "deleteIdentityTrust",
      confirm: "Delete the trust rule {trustId}? The next request with a key that it issued is refused.",
      preview: "getIdentityTrust",
      done: "Deleted the trust rule {trustId}.",
      examples: ["reeve identity trusts delete TRUST_ID --team acme --dry-run"],
    },
    "trusts keys": {
      operation: "listIssuedKeys",
      columns: ["name", "role", "activeAt", "expiresAt", "id"],
      examples: ["reeve identity trusts keys TRUST_ID --team acme"],
    },
    explain: {
      load: async () => (await import("../commands/identity.ts")).identityExplainCommand,
      operations: ["explainIdentity"],
    },
  },
};
