// `sqli`: pieces of SQL that change the statement they are put into, and the operators of document databases.
import { GAP } from "./pattern-parts.ts";
import type { SignatureSet } from "./sets.ts";

const VALUES = ["query_values", "cookies", "body"] as const;
const QUOTE = `(?:['"]|%27|%22)`;
const LOGIC = String.raw`(?:or|and|xor|\|\||&&)`;
const COMPARE = "(?:=|%3d|<|>|<>|!=)";
const OPERATORS = "(?:ne|gte?|lte?|regex|nin|in|exists|where)";
const LOGIN = "(?:e?mail|login|pass(?:word|wd)?|pwd|secret|token|user(?:name)?)";

export const SQL: SignatureSet = {
  defaultAction: "log",
  signatures: [
    {
      id: "sqli_union",
      summary: "A second query joined to the first",
      targets: [...VALUES, "path", "header:referer", "user_agent"],
      pattern: String.raw`(?:\b|%20|%09|%0a)union(?:${GAP}|\()+(?:(?:all|distinct)(?:${GAP}|\()+)?select(?:${GAP}|\()+(?:null\b|[0-9'"@]|0x|[a-z0-9_@().*]+${GAP}*,|(?:concat|char|version|user|database)\(|[a-z0-9_.*]+${GAP}+from\b)`,
      literals: ["union"],
    },
    {
      id: "sqli_always",
      summary: "A quote, and a comparison that always holds",
      targets: [...VALUES, "path"],
      pattern: String.raw`${QUOTE}(?:${GAP}|\))*${LOGIC}(?:${GAP}|\()*(?:${QUOTE}[^'"=<>]*${QUOTE}|[0-9]+)${GAP}*(?:${COMPARE}|like\b)${GAP}*(?:${QUOTE}|[0-9])`,
      literals: ["or", "and", "||", "&&"],
    },
    {
      id: "sqli_always_number",
      summary: "A number, and a comparison of numbers",
      targets: ["query_values", "cookies", "path"],
      pattern: String.raw`(?:^|/)-?[0-9]+(?:${GAP}|\))*${GAP}${LOGIC}${GAP}+\(*[0-9]+${GAP}*${COMPARE}${GAP}*[0-9]+`,
      literals: ["or", "and", "||", "&&"],
    },
    {
      id: "sqli_cut_off",
      summary: "A quote, and a comment to the end",
      targets: ["query_values", "cookies"],
      pattern: String.raw`'(?:${GAP}|\))*(?:;${GAP}*)?--[\t +-]*$`,
      literals: ["--"],
    },
    {
      id: "sqli_second_statement",
      summary: "A second statement",
      targets: [...VALUES, "path"],
      pattern: String.raw`;${GAP}*(?:(?:drop|truncate|alter|create)${GAP}+(?:table|database|schema|user|view|procedure|login)${GAP}+[a-z0-9_\x60"\[]|delete${GAP}+from${GAP}+[a-z0-9_.\x60]+${GAP}*(?:where\b|;|--|#|$)|insert${GAP}+into${GAP}+[a-z0-9_.\x60]+${GAP}*(?:\(|values\b|select\b)|update${GAP}+[a-z0-9_.]+${GAP}+set${GAP}+[a-z]|exec(?:ute)?${GAP}+(?:master|xp_|sp_)|declare${GAP}+@)`,
      literals: ["drop", "truncate", "alter", "create", "delete", "insert", "update", "exec", "declare"],
    },
    {
      id: "sqli_delay",
      summary: "A function that waits, to make the answer's time tell something",
      targets: [...VALUES, "path", "user_agent", "header:referer", "header:x-forwarded-for"],
      pattern: String.raw`\bpg_sleep${GAP}*\(|\bwaitfor${GAP}+(?:delay|time)${GAP}+['"]|\bbenchmark${GAP}*\(${GAP}*[0-9]+${GAP}*,|\bdbms_(?:pipe\.receive_message|lock\.sleep)\b|\brandomblob${GAP}*\(${GAP}*[0-9]|(?:\b(?:select|and|or|if|xor)(?:${GAP}|\()+|[=,|]${GAP}*)sleep${GAP}*\(${GAP}*[0-9]`,
      literals: ["pg_sleep", "waitfor", "benchmark", "dbms_", "randomblob", "sleep"],
    },
    {
      id: "sqli_catalogue",
      summary: "The tables in which a database describes itself",
      targets: ["query_values", "cookies", "path"],
      pattern: String.raw`\binformation_schema\.(?:tables|columns|schemata|routines)\b|\bpg_catalog\.pg_|\bfrom${GAP}+(?:sqlite_master|sysobjects|sys\.(?:tables|databases)|mysql\.user|all_tables)\b|@@(?:version|datadir|hostname)\b`,
      literals: ["information_schema", "pg_catalog", "from", "@@"],
    },
    {
      id: "sqli_function",
      summary: "A function that reads or writes files, runs commands or puts data into an error",
      targets: VALUES,
      pattern: String.raw`\b(?:extractvalue|updatexml)${GAP}*\([^)]*(?:concat|select|0x)|\bload_file${GAP}*\(${GAP}*(?:['"]|0x|char\()|\binto${GAP}+(?:outfile|dumpfile)${GAP}+['"]|\bxp_cmdshell\b|\butl_(?:http|inaddr)\.[a-z_]+${GAP}*\(|\bconcat(?:_ws)?${GAP}*\(${GAP}*0x[0-9a-f]`,
      literals: ["extractvalue", "updatexml", "load_file", "into", "xp_cmdshell", "utl_", "concat"],
    },
    {
      id: "sqli_document_name",
      summary: "An operator of a document database in the name of a login's field, or code for one",
      targets: ["query_names"],
      pattern: String.raw`^${LOGIN}\[\$${OPERATORS}\]|\[\$where\]`,
      literals: ["[$"],
    },
    {
      id: "sqli_document_member",
      summary: "The same in JSON",
      targets: ["body"],
      pattern: String.raw`"${LOGIN}"${GAP}*:${GAP}*\{${GAP}*"\$${OPERATORS}"${GAP}*:|"\$where"${GAP}*:${GAP}*"`,
      literals: ['"$'],
    },
  ],
};
