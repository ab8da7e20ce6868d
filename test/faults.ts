// `npm run faults`: kills servers under load FAULT_ROUNDS times (50) where `npm test` does it a few times, on both engines
// or on the one that `--engine` names.
process.env["FAULT_ROUNDS"] ??= "50";
process.argv.splice(2, 0, "test/faults/webhook-kills");
await import("./run.ts");
