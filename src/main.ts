#!/usr/bin/env node
import { pino } from "pino";
import { createApp } from "./app.ts";
import { readSettings } from "./config.ts";

const settings = readSettings();
const app = await createApp(settings, { clock: Date.now, logger: pino({ level: settings.logLevel }) });
const url = await app.server.listen({ host: settings.host, port: settings.port });
console.log(`Reeve listens on ${url}`);
if (app.firstToken) console.log(`token ${app.firstToken}`);
process.on("SIGTERM", () => void app.close());
