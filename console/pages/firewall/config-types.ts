// Parts of a firewall's configuration, as the API has them.
import type { Input, Output } from "../../api/endpoints.ts";

export type Config = Output<"GET /v1/firewalls/:configVersion">;
export type Rule = Config["rules"][number];
export type Condition = Rule["conditionGroup"][number]["conditions"][number];
export type AddressEntry = Config["ips"][number];
export type SharedCondition = NonNullable<Config["conditions"]>[number];
export type Change = Pick<Input<"PATCH /v1/firewalls/:configVersion">["body"], "action" | "id" | "value">;
export type Difference = Output<"GET /v1/firewalls/:configVersion/diff/:otherVersion">["differences"][number];
