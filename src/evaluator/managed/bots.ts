// `bot_protection`: programs in the place of a browser. `bot_filter`: crawlers and copiers that say who they are and
// bring no visitors.
import type { SignatureSet } from "./sets.ts";

export const BOT_PROTECTION: SignatureSet = {
  defaultAction: "challenge",
  signatures: [
    { id: "bot_no_agent", summary: "No user agent", targets: ["user_agent"], isAbsent: true },
    {
      id: "bot_empty_agent",
      summary: "An empty user agent, or one without a letter",
      targets: ["user_agent"],
      pattern: "^[^a-z]*$",
    },
    {
      id: "bot_library",
      summary: "The user agent of a library or a command",
      targets: ["user_agent"],
      pattern: String.raw`^(?:aiohttp|apache-httpclient|axios|curl|faraday|go-http-client|got|guzzlehttp|http\.rb|httpie|httpx|insomnia|java|java-http-client|libcurl|libwww-perl|lwp::simple|node|node-fetch|php|postmanruntime|python|python-httpx|python-requests|python-urllib|reqwest|restsharp|ruby|scrapy|typhoeus|undici|wget)(?:[/ (]|$)|\(compatible; python-[a-z]+`,
    },
    {
      id: "bot_headless",
      summary: "A browser that a program drives",
      targets: ["user_agent"],
      pattern: String.raw`\b(?:headlesschrome|phantomjs|slimerjs|casperjs|puppeteer|playwright|selenium|webdriver|zombie\.js|splash)\b`,
    },
    {
      id: "bot_status",
      summary: "A bot whose claim to be a known one did not prove true",
      targets: ["bot_status"],
      pattern: "^(?:impersonated|impersonator|spoofed|unverified)$",
    },
    {
      id: "bot_verdict",
      summary: "What looked at the client before did not take it for a person's",
      targets: ["bot_protection"],
      pattern: "^(?:bot|challenge|deny|fail|failed)$",
    },
  ],
};

export const BOT_FILTER: SignatureSet = {
  defaultAction: "challenge",
  signatures: [
    {
      id: "crawler_marketing",
      summary: "A crawler that gathers links and prices for others",
      targets: ["user_agent", "bot_name"],
      pattern: String.raw`\b(?:ahrefsbot|awariobot|barkrowler|blexbot|dataforseobot|dotbot|linkdexbot|mauibot|megaindex|mj12bot|rogerbot|semrushbot|seokicks|serpstatbot|siteauditbot|sistrix|zoominfobot)\b`,
    },
    {
      id: "crawler_copier",
      summary: "A program that copies whole sites",
      targets: ["user_agent"],
      pattern: String.raw`\b(?:grabber|httrack|offline explorer|sitesucker|teleport pro|webcopier|webreaper|webstripper|webzip|website ripper|xaldon)\b`,
    },
    {
      id: "crawler_survey",
      summary: "A survey of all machines on the internet",
      targets: ["user_agent"],
      pattern: String.raw`\b(?:censysinspect|expanse|internet-measurement|internetmeasurement|leakix|modatscanner|netcraftsurveyagent|netsystemsresearch|odin|shodan|zgrab)\b`,
    },
    {
      id: "crawler_category",
      summary: "A bot of a category that brings no visitors",
      targets: ["bot_category"],
      pattern: "^(?:scraper|seo|search_engine_optimization|vulnerability_scanner)$",
    },
  ],
};
