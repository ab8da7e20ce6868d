// Reads the setting of verified bots: `Googlebot=ranges:https://…/googlebot.json,ChatGPT=agent:https://chatgpt.com`.
import { MAX_BOT_SOURCES } from "../../platform/kernel/bots.ts";
import type { BotSource } from "../../platform/kernel/bots.ts";
import { expected, isProtectedUrl } from "../../platform/kernel/settings/setting-values.ts";

const FORM = /^([A-Za-z][\w.+ -]{2,59})=(ranges|agent):(\S+)$/;

function botSource(text: string): BotSource {
  const [, name = "", kind = "", written = ""] = FORM.exec(text) ?? [];
  const url = URL.parse(written);
  const isOrigin = url !== null && url.pathname === "/" && url.search === "" && url.hash === "";
  if (!url || !isProtectedUrl(url) || url.username !== "" || (kind === "agent" && !isOrigin)) {
    expected(
      "name=ranges:URL of a list of networks, or name=agent:https://host of a bot that signs, separated by commas; URLs with https:",
    );
  }
  return { name, kind: kind as BotSource["kind"], url: kind === "agent" ? url.origin : url.href };
}

/** `none`, or a list. */
export function botSources(text: string): readonly BotSource[] {
  if (text === "none") return [];
  const sources = text.split(",").map((part) => botSource(part.trim()));
  if (sources.length > MAX_BOT_SOURCES) expected(`at most ${MAX_BOT_SOURCES} bots`);
  if (new Set(sources.map(({ url }) => url)).size < sources.length) expected("each URL once");
  return sources;
}
