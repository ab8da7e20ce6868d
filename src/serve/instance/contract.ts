// What administrators look after: the settings in force, health, master keys, and what waits to be sent.
import { Type } from "typebox";
import type { Static } from "typebox";
import { Nullable, OneOf, defineContract } from "../../platform/kernel/contract.ts";

const SETTING_ORIGINS = ["flag", "environment", "file", "default"] as const;
const CHECK_STATES = ["ok", "warning", "fault"] as const;
/** Counts end here: a larger number needs the same action. */
export const MAX_COUNTED = 10_000;

/** Of the webhooks whose receivers are late. */
export const MAX_NAMED = 10;

const counted = (of: string) => Type.Integer({ description: `${of}; 10 000 means at least 10 000.` });

const Setting = Type.Object(
  {
    variable: Type.String({ description: "Its environment variable." }),
    flag: Nullable(Type.String({ description: "Its flag on the command line." })),
    help: Type.String(),
    value: Nullable(Type.String({ description: "Null: not set, or a credential, which is never shown." })),
    isSet: Type.Boolean({ description: "It has a value, by default or otherwise." }),
    isCredential: Type.Boolean(),
    from: OneOf(SETTING_ORIGINS, { description: "Where the value comes from; `file`: a file that a variable names." }),
  },
  { title: "InstanceSetting" },
);

const Check = Type.Object(
  {
    check: Type.String({ description: "What was looked at." }),
    status: OneOf(CHECK_STATES, { description: "`fault`: requests cannot be served." }),
    code: Nullable(Type.String({ description: "As `/health/ready` names the failure." })),
    detail: Type.String({ description: "What was found, in words." }),
    advice: Nullable(Type.String({ description: "What to do about it." })),
  },
  { title: "InstanceCheck" },
);

const MasterKey = Type.Object(
  {
    id: Type.String(),
    isActive: Type.Boolean({ description: "New values are sealed under it." }),
    isPresent: Type.Boolean({ description: "This process has it." }),
  },
  { title: "MasterKey" },
);

const Queue = {
  waiting: counted("How many wait, retries included"),
  oldestDueAt: Nullable(Type.Integer({ description: "When the oldest of them became due." })),
};

const LateWebhook = Type.Object(
  {
    webhookId: Type.String(),
    ownerId: Type.String({ description: "Id of the user or team." }),
    state: OneOf(["failing", "slow"] as const, {
      description: "`failing`: every attempt fails; `slow`: deliveries wait that are due, although attempts succeed.",
    }),
    since: Type.Integer({
      description: "When the first of these attempts failed, or the oldest of these deliveries became due.",
    }),
  },
  { title: "LateWebhook" },
);

const InstanceReportSchema = Type.Object(
  {
    version: Type.String({ description: "Of Reeve." }),
    node: Type.String({ description: "Version of Node.js." }),
    engine: OneOf(["sqlite", "postgres"] as const),
    data: Type.String({ description: "The data folder, or the address of the database without a password." }),
    url: Nullable(Type.String({ description: "Where people open this server; null: REEVE_PUBLIC_URL would tell." })),
    settings: Type.Array(Setting),
    checks: Type.Array(Check),
    backup: Type.Object({
      lastAt: Nullable(Type.Integer({ description: "When the last one was made; null: it is not known." })),
      detail: Type.String(),
    }),
    keys: Type.Object({
      masterKeys: Type.Array(MasterKey),
      behind: counted("Values that are not under the active key yet"),
    }),
    deliveries: Type.Object({
      ...Queue,
      failing: counted("Webhooks that have deliveries waiting and whose receiver fails"),
      inactive: counted("Webhooks that are deactivated, or were disabled"),
      late: Type.Array(LateWebhook, {
        description:
          "The ten webhooks that have failed or been behind for longest, of those for which it is more than ten minutes.",
      }),
    }),
    mails: Type.Object(Queue),
  },
  { title: "InstanceReport" },
);

export type InstanceReport = Static<typeof InstanceReportSchema>;

export const instanceContract = defineContract({
  getInstance: {
    method: "GET",
    path: "/v1/instance",
    tag: "Instance",
    summary: "The settings in force, health, master keys, and what waits to be sent",
    description:
      "What this process found when it was asked. `reeve doctor` on the server looks deeper: it reads the whole database and the " +
      "ends of all chains.",
    access: { kind: "instance" },
    response: InstanceReportSchema,
    errors: [],
    emits: [],
  },
});
