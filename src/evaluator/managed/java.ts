// `java`: what makes Java programs load classes or run expressions.
import { INPUT, SPACE } from "./pattern-parts.ts";
import type { SignatureSet } from "./sets.ts";

const EVERYWHERE = ["path", "query_names", "query_values", "headers", "body"] as const;

export const JAVA: SignatureSet = {
  defaultAction: "log",
  signatures: [
    {
      id: "java_lookup",
      summary: "A lookup that loads a class (CVE-2021-44228)",
      targets: EVERYWHERE,
      pattern: String.raw`(?:\$|%24)(?:\{|%7b)${SPACE}*jndi${SPACE}*(?::|%3a)`,
      literals: ["jndi"],
    },
    {
      id: "java_hidden_lookup",
      summary: "The same, put together from other lookups",
      targets: EVERYWHERE,
      pattern: String.raw`\$\{[a-z:-]*\$\{(?:(?:lower|upper|env|sys|sm|base64|date|main|ctx|java|web):|[^}:]*::?-)`,
      literals: ["${"],
    },
    {
      id: "java_class_loader",
      summary: "The class loader as a property to set (CVE-2022-22965)",
      targets: INPUT,
      pattern: String.raw`\bclass(?:\.module)?(?:\.|\[["']?)classloader\b`,
      literals: ["classloader"],
    },
    {
      id: "java_expression",
      summary: "An expression that reaches for the system",
      targets: ["path", "query_names", "query_values", "headers", "body"],
      pattern: String.raw`#_memberaccess\b|@ognl\.ognlcontext\b|#context\[["']com\.opensymphony|\bt\(java\.lang\.[a-z]|@java\.lang\.(?:runtime|system|processbuilder)@|\bgetruntime\(\)\.exec\b|\bnew java\.lang\.processbuilder\(`,
      literals: ["#_memberaccess", "@ognl.", "#context[", "java.lang.", "getruntime()"],
    },
    {
      id: "java_object",
      summary: "A serialised object, in base64 or hexadecimal",
      targets: ["query_values", "cookies", "body", "header:authorization", "header:x-auth-token"],
      pattern: String.raw`(?:^|[=":' ])(?:ro0abx[a-z0-9+/_-]{6}|aced0005[0-9a-f]{8})`,
      literals: ["ro0abx", "aced0005"],
    },
    {
      id: "java_gadget",
      summary: "A class that attacks on object streams are built from",
      targets: ["query_values", "cookies", "body"],
      pattern: String.raw`\bcom\.sun\.rowset\.jdbcrowsetimpl\b|\borg\.apache\.commons\.collections4?\.functors\.|\bcom\.sun\.org\.apache\.xalan\.internal\.xsltc\.trax\.templatesimpl\b|\bysoserial\b|class=["']java\.(?:beans\.xmldecoder|lang\.processbuilder)["']`,
      literals: ["jdbcrowsetimpl", ".functors.", "templatesimpl", "ysoserial", "xmldecoder", "processbuilder"],
    },
    {
      id: "java_inside",
      summary: "The folders of a web application that are not to be seen",
      targets: ["path", "raw_path", "query_values"],
      pattern: String.raw`(?:^|[/\\;])(?:web|meta)-inf(?:/|\\|%2f|$)`,
      literals: ["web-inf", "meta-inf"],
    },
  ],
};
