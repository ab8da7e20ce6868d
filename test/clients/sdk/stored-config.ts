// What a release of the SDK hands on of a firewall configuration, and what of one its owner made; for comparing.
import type { Body } from "../../harness/test-app.ts";
import type { Release } from "./releases.ts";

/** What came back as plain objects: releases build some of classes of their own. */
export function plain(value: Body): Body {
  return JSON.parse(JSON.stringify(value));
}

const MITIGATE = ["action", "rateLimit", "redirect", "actionDuration"];

function pick(source: Body, names: readonly string[]): Body {
  return Object.fromEntries(names.filter((name) => source[name] !== undefined).map((name) => [name, source[name]]));
}

function camel(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function keptRule({ firewall }: Release, { action, valid, validationErrors, ...rule }: Body): Body {
  const { mitigate } = action;
  return {
    ...rule,
    action: mitigate ? { mitigate: pick(mitigate, [...MITIGATE, ...firewall.mitigate]) } : {},
    ...(firewall.hasValidation && { valid, validationErrors }),
  };
}

/** What the release returns to its caller for a configuration that Reeve returns. */
export function keptOf(release: Release, config: Body): Body {
  const { firewall } = release;
  const { managedRules } = config;
  const { ownerId, projectKey, id, version, updatedAt, firewallEnabled, crs, ips, changes } = config;
  return {
    ownerId,
    projectKey,
    id,
    version,
    updatedAt,
    firewallEnabled,
    crs,
    ips,
    changes,
    rules: config.rules.map((rule: Body) => keptRule(release, rule)),
    ...pick(config, firewall.members),
    ...(managedRules && {
      managedRules: Object.fromEntries(
        Object.entries(pick(managedRules, firewall.managedSets)).map(
          ([name, { ruleGroups: _groups, ...set }]: Body) => [camel(name), set],
        ),
      ),
    }),
  };
}

const OFF = { active: false, action: "log" };
const CATEGORIES = ["sd", "ma", "lfi", "rfi", "rce", "php", "gen", "xss", "sqli", "sf", "java"];

/** What of a configuration its owner made: without numbers, authors and times. */
export function contentOf(config: Body): Body {
  const { firewallEnabled, rules, ips, crs = {}, managedRules = {}, botIdEnabled, logHeaders, ...rest } = config;
  return {
    firewallEnabled,
    rules: rules.map(({ valid: _valid, validationErrors: _errors, ...rule }: Body) => structuredClone(rule)),
    ips: structuredClone(ips),
    crs: { ...Object.fromEntries(CATEGORIES.map((name) => [name, OFF])), ...crs },
    managedRules: Object.fromEntries(
      Object.entries(managedRules).map(([name, { updatedAt: _at, userId: _id, username: _by, ...set }]: Body) => [
        name,
        set,
      ]),
    ),
    botIdEnabled,
    logHeaders,
    conditions: rest.conditions,
    rulesets: rest.rulesets,
  };
}

/** The content with "new" for the ids that Reeve gave. */
export function withoutNewIds(content: Body): Body {
  const known = (item: Body) => (/^(?:rule|ip)_\w{24}$/.test(item.id) ? { ...item, id: "new" } : item);
  return { ...content, rules: content.rules.map(known), ips: content.ips.map(known) };
}
