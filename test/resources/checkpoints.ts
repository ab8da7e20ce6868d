// Verifies checkpoints as an auditor does: by docs/proof.md alone, without the code that creates them.
import assert from "node:assert/strict";
import { createHash, createPublicKey, verify } from "node:crypto";
import type { Changes } from "../../src/serve/composition/internal-changes.ts";
import type { Body, TestApp, TestTeam, TestUser } from "../harness/test-app.ts";

/** Fails unless the checkpoint's signature and the id of its key are right. */
export function assertGenuine(checkpoint: Body): void {
  const { ownerId, sequence, hash, eventAt, createdAt, reason, keyId, publicKey, signature } = checkpoint;
  const der = Buffer.from(publicKey, "base64");
  assert.equal(keyId, `ed25519_${createHash("sha256").update(der).digest("hex").slice(0, 32)}`);
  const text = `reeve event checkpoint v1
owner ${ownerId}
sequence ${sequence}
hash ${hash}
event-at ${eventAt}
created-at ${createdAt}
reason ${reason}
key ${keyId}
`;
  const key = createPublicKey({ key: der, format: "der", type: "spki" });
  assert.ok(verify(null, Buffer.from(text), key, Buffer.from(signature, "base64")), text);
}

export function openCheckpoints({ app, request, clock }: TestApp) {
  return {
    /** Requests a checkpoint of a team's chain. */
    async create(user: TestUser, team: TestTeam): Promise<Body> {
      const { status, body, text } = await request("POST", `/v1/events/checkpoints?teamId=${team.id}`, user);
      assert.equal(status, 200, text);
      return body.checkpoint;
    },
    async list(user: TestUser, team: TestTeam, query = ""): Promise<Body> {
      const { status, body, text } = await request("GET", `/v1/events/checkpoints?teamId=${team.id}${query}`, user);
      assert.equal(status, 200, text);
      return body;
    },
    /** Runs an internal change as housekeeping does, until nothing is left; returns how often it did something. */
    async tidy<Name extends keyof Changes>(name: Name, input: Parameters<Changes[Name]>[1]): Promise<number> {
      const { changes } = app.runner;
      for (let steps = 0; ; steps++) if ((await changes[name](input, clock.now)) === 0) return steps;
    },
  };
}
