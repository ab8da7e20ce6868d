// The report to administrators: the settings in force, health in words, master keys, and what waits. Each count is bounded, so that asking
// often costs little.
import type { Settings } from "../config/config.ts";
import { describeData } from "../config/data-paths.ts";
import { ownUrl } from "../config/own-url.ts";
import type { SettingName } from "../config/config.ts";
import type { Setting } from "../../platform/kernel/settings/setting-source.ts";
import { SETTINGS } from "../config/settings.ts";
import { countWaiting } from "../../events/queue/delivery-store.ts";
import { findLateWebhooks, listWaitingWebhooks, oldestDue } from "../../events/queue/due-webhooks.ts";
import { countTroubled } from "../../events/queue/queue-store.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import { singleFlight } from "../../platform/kernel/scheduling/single-flight.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import type { FailedCheck } from "../../platform/operations/operation-runner.ts";
import { MAX_COUNTED, MAX_NAMED } from "../instance/contract.ts";
import type { InstanceReport } from "../instance/contract.ts";
import { countBehind, neededKeys } from "../master-keys/key-use.ts";
import { activeKeyId } from "../../platform/keyring/sealing/active-key.ts";
import { measureWaiting as measureMails } from "../../events/mails/store.ts";
import { SCHEMA_VERSION } from "../../platform/store/migrations/migrate.ts";
import { VERSION } from "../../platform/kernel/version.ts";
import type { MonitoredStore } from "./monitored-store.ts";
import { examineDisk, examineSettings, examineVariables } from "./quick-checks.ts";
import type { Readiness } from "./readiness.ts";

type Check = InstanceReport["checks"][number];
type ShownSetting = InstanceReport["settings"][number];

interface Reported {
  readonly store: MonitoredStore;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly readiness: Readiness;
}

/** Of a folder or a file, where it is; of everything else, how it is written. */
function valueOf(settings: Settings, name: SettingName): string | null {
  const { text } = settings.sources[name];
  const value = settings[name];
  return text !== null && typeof value === "string" ? value : text;
}

function describeSetting(settings: Settings, name: SettingName, setting: Setting<unknown>): ShownSetting {
  const { env, flag, help, isSecret = false } = setting;
  return {
    variable: env,
    flag: flag === null ? null : `--${flag}`,
    help,
    value: isSecret ? null : valueOf(settings, name),
    isSet: settings[name] !== null,
    isCredential: isSecret,
    from: settings.sources[name].from,
  };
}

function describeTracing({ tracing }: Settings): ShownSetting {
  return {
    variable: "OTEL_EXPORTER_OTLP_ENDPOINT",
    flag: null,
    help: "where traces are sent, with the standard variables of OpenTelemetry beside it",
    value: null,
    isSet: tracing !== null,
    isCredential: true,
    from: tracing === null ? "default" : "environment",
  };
}

function describeSettings(settings: Settings): ShownSetting[] {
  const all = Object.entries<Setting<unknown>>(SETTINGS);
  return [
    ...all.map(([name, setting]) => describeSetting(settings, name as SettingName, setting)),
    describeTracing(settings),
  ];
}

/** What each health check has found when it has found nothing wrong. */
const FINE: Readonly<Record<FailedCheck["check"], string>> = {
  store: "the database responds and takes writes",
  schema: `the database has the schema of this version: ${SCHEMA_VERSION}`,
  keys: "every master key that the database needs is there",
  deliveries: "processes deliver: no webhook that is due has waited five minutes for one",
  clock: "the clocks of this machine and the database agree",
};

function describeHealth(failed: readonly FailedCheck[]): Check[] {
  return Object.entries(FINE).flatMap(([check, fine]): Check[] => {
    const found = failed.filter((one) => one.check === check);
    if (found.length === 0) return [{ check, status: "ok", code: null, detail: fine, advice: null }];
    return found.map(({ code, advice, isFatal }) => {
      const [detail = "", ...rest] = advice.split(": ");
      return {
        check,
        status: isFatal ? "fault" : "warning",
        code,
        detail,
        advice: rest.length === 0 ? null : rest.join(": "),
      };
    });
  });
}

function describeChecks({ store, settings }: Reported, failed: readonly FailedCheck[]): Check[] {
  const quick = [
    examineSettings(settings),
    ...examineVariables(settings),
    ...(store.engine === "sqlite" ? [examineDisk(settings)] : []),
  ];
  return [
    ...describeHealth(failed),
    ...quick.map(({ check, status, detail, advice = null }) => ({ check, status, code: null, detail, advice })),
  ];
}

async function describeKeys({ reader, keyring }: MonitoredStore): Promise<InstanceReport["keys"]> {
  const active = await activeKeyId(reader);
  const present = new Set(keyring.keyIds());
  const ids = new Set([...(await neededKeys(reader)), ...present]);
  return {
    masterKeys: [...ids].map((id) => ({ id, isActive: id === active, isPresent: present.has(id) })),
    behind: await countBehind(reader, MAX_COUNTED),
  };
}

async function describeQueues(reader: Tx, now: number): Promise<Pick<InstanceReport, "deliveries" | "mails">> {
  const limit = { limit: MAX_COUNTED };
  const webhooks = await listWaitingWebhooks(reader, now);
  const { failing = 0, inactive = 0 } = (await countTroubled(reader, limit)) ?? {};
  const { waiting: mails = 0, oldestDueAt = null } = (await measureMails(reader, limit)) ?? {};
  return {
    deliveries: {
      waiting: (await countWaiting(reader, limit))?.waiting ?? 0,
      oldestDueAt: oldestDue(webhooks),
      failing: failing ?? 0,
      inactive: inactive ?? 0,
      late: findLateWebhooks(webhooks, now).slice(0, MAX_NAMED),
    },
    // What is due later is a retry: nothing has been due yet.
    mails: { waiting: mails, oldestDueAt: oldestDueAt !== null && oldestDueAt <= now ? oldestDueAt : null },
  };
}

const BACKUP = {
  lastAt: null,
  detail:
    "Reeve cannot know: `reeve backup` runs beside the server and leaves its file to you. Watch the age of the newest file where you keep them.",
} as const;

/** The effect of the operation that reads the report. Those who ask at the same time share one. */
export function createInstanceReport(reported: Reported): () => Promise<InstanceReport> {
  const { store, settings, clock, readiness } = reported;
  return singleFlight(async () => ({
    version: VERSION,
    node: process.version,
    engine: store.engine,
    data: describeData(settings),
    url: ownUrl(settings),
    settings: describeSettings(settings),
    checks: describeChecks(reported, await readiness.check()),
    backup: BACKUP,
    keys: await describeKeys(store),
    ...(await describeQueues(store.reader, clock())),
  }));
}
