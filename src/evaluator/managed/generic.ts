// `gen`: attacks that are of no single language.
import { GAP, INPUT, SPACE } from "./pattern-parts.ts";
import type { SignatureSet } from "./sets.ts";

export const GENERIC: SignatureSet = {
  defaultAction: "log",
  signatures: [
    {
      id: "gen_null",
      summary: "A null byte",
      targets: ["raw_path", "path", "query_names", "query_values", "cookies"],
      pattern: String.raw`\x00|%00`,
      literals: ["\0", "%00"],
    },
    {
      id: "gen_line_break",
      summary: "A line break with a header or a status line behind it",
      targets: ["path", "raw_path", "query_values", "cookies"],
      pattern: String.raw`(?:[\r\n]|%0d|%0a)${SPACE}*(?:set-cookie|location|content-(?:type|length|disposition)|transfer-encoding|refresh)${SPACE}*(?::|%3a)|(?:[\r\n]|%0d|%0a)http/1\.[01](?: |%20)[1-5][0-9][0-9]`,
      literals: ["\r", "\n", "%0d", "%0a"],
    },
    {
      id: "gen_transfer_encoding",
      summary: "A Transfer-Encoding that two servers may read differently",
      targets: ["header:transfer-encoding"],
      pattern: String.raw`chunked[\t ]*[,;]|xchunked|[\x00-\x08\x0a-\x1f"'\[\]:]|,[\t ]*,|^[\t ]*$`,
    },
    {
      id: "gen_content_length",
      summary: "A Content-Length that is no number",
      targets: ["header:content-length"],
      pattern: "[^0-9]",
    },
    {
      id: "gen_host",
      summary: "A Host with characters that no host has",
      targets: ["header:host", "header:x-forwarded-host"],
      pattern: String.raw`[\x00-\x1f"'<>\\^\x60{}|@/?#]`,
    },
    {
      id: "gen_ranges",
      summary: "More ranges of one resource than anybody needs",
      targets: ["header:range"],
      pattern: String.raw`^bytes=(?:[\t ]*[0-9]*-[0-9]*[\t ]*,){10}`,
    },
    {
      id: "gen_method",
      summary: "A method that only echoes or debugs",
      targets: ["method"],
      pattern: "^(?:trace|track|debug)$",
    },
    {
      id: "gen_prototype",
      summary: "A member that changes the prototype of all JavaScript objects",
      targets: INPUT,
      pattern: String.raw`__proto__|\bconstructor(?:\]\[|\.|\[)["']?prototype\b`,
      literals: ["__proto__", "prototype"],
    },
    {
      id: "gen_node",
      summary: "A call that leaves a JavaScript program for the system",
      targets: INPUT,
      pattern: String.raw`process\.mainmodule\b|\bprocess\.binding${GAP}*\(|child_process['"]?\)${GAP}*\.${GAP}*(?:exec|spawn|fork)|_\$\$nd_func\$\$_`,
      literals: ["process", "_$$nd_func$$_"],
    },
    {
      id: "gen_template",
      summary: "An expression for a template engine that shows whether it is worked out",
      targets: [...INPUT, "path", "header:referer", "user_agent"],
      pattern: String.raw`(?:\{\{|\$\{|#\{|<%=|\*\{)${SPACE}*['"]?[0-9]+['"]?${SPACE}*\*${SPACE}*['"]?[0-9]+['"]?${SPACE}*(?:\}|%>)|\{\{[^}\n]*(?:__class__|__globals__|__subclasses__|constructor\.constructor|\.getclass\(|lipsum|_self\.env)`,
      literals: ["{{", "${", "#{", "<%=", "*{"],
    },
    {
      id: "gen_metadata",
      summary: "The service that tells a machine in a cloud its credentials",
      targets: ["query_values", "body", "header:host", "header:referer", "header:x-forwarded-host", "raw_path"],
      pattern: String.raw`\b169\.254\.169\.254\b|\b169\.254\.170\.2\b|\bmetadata\.google\.internal\b|\bfd00:ec2::254\b|//(?:2852039166|0xa9fea9fe)\b|/latest/meta-data/`,
      literals: ["169.254.", "metadata.google.internal", "fd00:ec2::254", "2852039166", "0xa9fea9fe", "meta-data"],
    },
    {
      id: "gen_scheme",
      summary: "An address of a kind with which a server is made to speak to its neighbours",
      targets: ["query_values"],
      pattern: "^(?:gopher|dict|ldaps?|netdoc|tftp)://|^file:/{2,3}[a-z/]|^jar:(?:https?|file):",
      literals: [":"],
    },
    {
      id: "gen_entity",
      summary: "An external entity of XML",
      targets: ["body", "query_values"],
      pattern: String.raw`<!entity${SPACE}+(?:%${SPACE}+)?[a-z0-9_.:-]+${SPACE}+(?:system|public)${SPACE}+["']`,
      literals: ["<!entity"],
    },
  ],
};
