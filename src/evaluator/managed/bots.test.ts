// What the signatures of the managed rule sets are found in, and what is close to it and ordinary.
import { describe } from "node:test";
import { testSignatures } from "../../../test/signatures.ts";
import { MANAGED } from "./sets.ts";

const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";
const GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

describe("bot_protection", () => {
  testSignatures(MANAGED.bot_protection, {
    bot_empty_agent: { found: ["", "-", "1.0"], notFound: [CHROME, "x"] },
    bot_library: {
      found: ["curl/8.4.0", "python-requests/2.31.0", "Go-http-client/1.1", "node", "Java/17.0.1", "axios/1.6.2"],
      notFound: [CHROME, GOOGLEBOT, "curly/1", "Javanese/2", "my curl/8"],
    },
    bot_headless: {
      found: [CHROME.replace("Chrome/", "HeadlessChrome/"), "Mozilla/5.0 PhantomJS/2.1.1"],
      notFound: [CHROME, "Mozilla/5.0 splashy/1"],
    },
    bot_status: { found: ["unverified", "Spoofed"], notFound: ["verified", "not unverified"] },
    bot_verdict: { found: ["fail", "challenge"], notFound: ["pass", "failsafe", ""] },
  });
});

describe("bot_filter", () => {
  testSignatures(MANAGED.bot_filter, {
    crawler_marketing: {
      found: ["Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)", "SemrushBot"],
      notFound: [GOOGLEBOT, CHROME, "Mozilla/5.0 (compatible; bingbot/2.0)", "polkadotbots"],
    },
    crawler_copier: {
      found: ["Mozilla/4.5 (compatible; HTTrack 3.0x; Windows 98)", "Offline Explorer/2.5"],
      notFound: [CHROME, "screengrabbers/1", "explorer"],
    },
    crawler_survey: {
      found: ["Mozilla/5.0 (compatible; CensysInspect/1.1; +https://about.censys.io/)", "Mozilla/5.0 zgrab/0.x"],
      notFound: [CHROME, "expansess/1", "odinson"],
    },
    crawler_category: { found: ["seo", "scraper"], notFound: ["search_engine_crawler", "seoul"] },
  });
});

describe("ai_bots", () => {
  testSignatures(MANAGED.ai_bots, {
    ai_training: {
      found: [
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
        "CCBot/2.0 (https://commoncrawl.org/faq/)",
        "Mozilla/5.0 (compatible; Bytespider; spider-feedback@bytedance.com)",
      ],
      notFound: [CHROME, GOOGLEBOT, "facebookexternalhit/1.1", "Mozilla/5.0 (compatible; Applebot/0.1)"],
    },
    ai_search: {
      found: ["Mozilla/5.0 (compatible; PerplexityBot/1.0)", "OAI-SearchBot/1.0; +https://openai.com/searchbot"],
      notFound: [CHROME, "DuckDuckBot/1.1", "searchbot"],
    },
    ai_assistant: {
      found: ["Mozilla/5.0 (compatible; ChatGPT-User/1.0; +https://openai.com/bot)", "Perplexity-User/1.0"],
      notFound: [CHROME, "chatgpt", "Mozilla/5.0 (compatible; DuckDuckGo-Favicons-Bot/1.0)"],
    },
    ai_category: { found: ["ai", "ai_crawler", "ai-assistant"], notFound: ["aiming", "search_engine", "monitor_ai"] },
  });
});

describe("traffic_sources", () => {
  testSignatures(MANAGED.traffic_sources, {
    source_relay: { found: ["tor", "VPN", "anonymous-proxy"], notFound: ["torrent", "residential", ""] },
    source_hosting: { found: ["hosting", "data center"], notFound: ["cloudy", "home"] },
    source_attacker: { found: ["botnet", "blocklisted"], notFound: ["bot", "allowlist"] },
    source_tor2web: { found: ["true", "1"], notFound: ["", " "] },
  });
});

describe("vercel_ruleset", () => {
  testSignatures(MANAGED.vercel_ruleset, {
    probe_dotfile: {
      found: ["/.env", "/app/.env.production", "/.git/config", "/.aws/credentials", "/.vscode/sftp.json"],
      notFound: ["/.well-known/acme-challenge/x", "/environment", "/.envoy", "/a.git", "/.github"],
    },
    probe_backup: {
      found: ["/backup.zip", "/db.sql", "/index.php.bak", "/config.yml~", "/www.tar.gz"],
      notFound: ["/report.zip", "/backup", "/bak", "/a.php", "/guide.old"],
    },
    probe_debug: {
      found: ["/actuator/env", "/app/actuator/heapdump", "/debug/pprof/", "/server-status", "/elmah.axd"],
      notFound: ["/actuator/health", "/debug", "/server-statuses", "/env"],
    },
    probe_panel: {
      found: ["/phpMyAdmin/", "/blog/xmlrpc.php", "/manager/html", "/adminer-4.8.1.php", "/wp-config.php"],
      notFound: ["/wp-json/wp/v2/posts", "/wp-login.php", "/manager", "/blog/how-to-use-phpmyadmin"],
    },
    probe_device: {
      found: ["/cgi-bin/luci/;stok=/locale", "/HNAP1", "/boaform/admin/formLogin", "/+CSCOE+/logon.html"],
      notFound: ["/cgi-bin/search", "/boat/", "/x/hnap1", "/remote/jobs"],
    },
    probe_shell: {
      found: ["/wso.php", "/uploads/shell.php", "/vendor/phpunit/phpunit/src/Util/PHP/eval-stdin.php"],
      notFound: ["/shell", "/seashell.php", "/vendor/phpunit/readme", "/shell.html"],
    },
    probe_middleware: {
      found: ["middleware:middleware:middleware", "src/middleware", "pages/_middleware"],
      notFound: ["", "1"],
    },
    probe_internal_header: { found: ["/admin", "404", "%7B%7D"], notFound: ["", " "] },
    probe_flight: {
      found: ['{"then":"$1:__proto__:then"}', '{"get":"$1:constructor:constructor"}', '["$@0:__proto__:then"]'],
      notFound: ['{"a":"$1"}', '{"a":"$1:constructor"}', '{"__proto__":{"then":1}}'],
    },
  });
});
