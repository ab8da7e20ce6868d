// `vercel_ruleset`: paths and headers that nobody sends who does not look for a mistake of the site's.
import type { SignatureSet } from "./sets.ts";

export const PROBES: SignatureSet = {
  defaultAction: "log",
  signatures: [
    {
      id: "probe_dotfile",
      summary: "A hidden file with settings, keys or history",
      targets: ["path"],
      pattern: String.raw`/\.(?:env(?:[.~_-][a-z0-9._~-]*)?|git(?:-credentials|config)?|svn|hg|bzr|ht(?:passwd|access)|aws|ssh|kube|docker|dockercfg|ds_store|npmrc|yarnrc|netrc|pgpass|my\.cnf|bash_history|zsh_history|vscode|idea|terraform|s3cfg)(?:/|$)`,
      literals: ["/."],
    },
    {
      id: "probe_backup",
      summary: "A copy of the site, its database or a file of its program",
      targets: ["path"],
      pattern: String.raw`/(?:backup|database|db|dump|public_html|site|web|website|www|wwwroot)\.(?:7z|bak|gz|rar|sql|tar|tar\.gz|tgz|zip)$|\.(?:php|env|conf|config|ini|inc|py|rb|jsp|aspx?|ya?ml|sql)(?:\.(?:bak|copy|old|orig|save|swo|swp|tmp)|~)$`,
      literals: ["."],
    },
    {
      id: "probe_debug",
      summary: "A page that shows a program from inside",
      targets: ["path"],
      pattern: String.raw`/(?:actuator/(?:env|gateway/routes|heapdump|httptrace|jolokia|logfile|mappings|threaddump)|jolokia/(?:list|exec|read)|_profiler/(?:phpinfo|open)|_ignition/execute-solution|telescope/requests|debug/(?:pprof|default/view|vars)|debugbar/open|trace\.axd|elmah\.axd|server-status|server-info|h2-console|phpinfo\.php|_debug_toolbar|__debug__)(?:/|$)`,
    },
    {
      id: "probe_panel",
      summary: "An administration panel of a product that this site most likely is not",
      targets: ["path"],
      pattern: String.raw`^/(?:[a-z0-9_-]+/)?(?:phpmyadmin|pma|myadmin|dbadmin|sqladmin|adminer(?:-[0-9.]+)?\.php|wp-config\.php|wp-admin/(?:install|setup-config)\.php|wp-includes/wlwmanifest\.xml|xmlrpc\.php|manager/html|invoker/jmxinvokerservlet|solr/admin|geoserver/web|owa/auth/logon\.aspx|autodiscover/autodiscover\.(?:xml|json))(?:/|$)`,
    },
    {
      id: "probe_device",
      summary: "A page of routers, cameras and gateways with known holes",
      targets: ["path"],
      pattern: String.raw`^/(?:boaform/|cgi-bin/(?:luci|nobody|mainfunction\.cgi|jarrewrite\.sh)|dana-na/|gponform/|goform/|hnap1|remote/(?:fgt_lang|logincheck)|setup\.cgi|sslvpn/|tmui/login\.jsp|\+cscoe\+/|global-protect/|mifs/|sdk/weblanguage)`,
    },
    {
      id: "probe_shell",
      summary: "A shell that an earlier attack may have left behind",
      targets: ["path"],
      pattern: String.raw`^/(?:[a-z0-9_-]+/)*(?:alfa|c99|cmd|r57|shell|wso|webshell|mini|gel4y|1337|b374k)\.(?:php[3-8]?|phtml|aspx?|jspx?)$|/vendor/phpunit/[a-z0-9/_-]*eval-stdin\.php`,
    },
    {
      id: "probe_middleware",
      summary: "The header with which Next.js skips its own middleware (CVE-2025-29927)",
      targets: ["header:x-middleware-subrequest"],
      pattern: String.raw`\b(?:src/|pages/_?)?middleware\b|[a-z0-9_/]+:[a-z0-9_/]+`,
    },
    {
      id: "probe_internal_header",
      summary: "A header that a framework sends to itself, never a client",
      targets: [
        "header:x-middleware-rewrite",
        "header:x-middleware-set-cookie",
        "header:x-middleware-override-headers",
        "header:x-invoke-path",
        "header:x-invoke-status",
        "header:x-invoke-error",
        "header:x-now-route-matches",
      ],
      pattern: "[a-z0-9/%]",
    },
    {
      id: "probe_flight",
      summary: "A reference to a prototype or a constructor in a server action (CVE-2025-55182)",
      targets: ["body"],
      pattern: String.raw`["']\$[0-9a-f]*@?[0-9a-f]*:(?:__proto__|constructor):(?:then|constructor|__proto__)`,
      literals: [":__proto__:", ":constructor:"],
    },
  ],
};
