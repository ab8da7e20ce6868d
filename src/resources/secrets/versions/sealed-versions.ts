// The versions of secrets, for those who look after the master keys.
import { sealedRows } from "../../master-keys/sealed-rows.ts";
import { sealingContext } from "../value.ts";

export const sealedVersions = sealedRows({
  kind: "secret",
  name: "secretKeys",
  rows: { table: "secret_versions", belongsTo: "secret_id" },
  sealingContext,
});
