// `php`: PHP as a value, and what makes PHP run it.
import { GAP, INPUT } from "./pattern-parts.ts";
import type { SignatureSet } from "./sets.ts";

export const PHP: SignatureSet = {
  defaultAction: "log",
  signatures: [
    {
      id: "php_tag",
      summary: "The beginning of a PHP program",
      targets: [...INPUT, "user_agent", "header:referer"],
      pattern: String.raw`<\?(?:php\b|=)`,
      literals: ["<?"],
    },
    {
      id: "php_stream",
      summary: "A stream of PHP's own",
      targets: ["query_values", "cookies", "body"],
      pattern: "php://(?:input|filter|fd|memory|temp|stdin)",
      literals: ["php://"],
    },
    {
      id: "php_function",
      summary: "A call of a function that only PHP has and attacks like",
      targets: [...INPUT, "user_agent"],
      pattern: String.raw`\b(?:shell_exec|passthru|proc_open|pcntl_exec|phpinfo|call_user_func(?:_array)?|create_function|file_put_contents|base64_decode|gzinflate)${GAP}*(?:\(|%28)`,
      literals: [
        "shell_exec",
        "passthru",
        "proc_open",
        "pcntl_exec",
        "phpinfo",
        "call_user_func",
        "create_function",
        "file_put_contents",
        "base64_decode",
        "gzinflate",
      ],
    },
    {
      id: "php_superglobal",
      summary: "A variable with the request's input",
      targets: INPUT,
      pattern: String.raw`\$_(?:get|post|request|cookie|server|session|files|env)${GAP}*(?:\[|\{)`,
      literals: ["$_"],
    },
    {
      id: "php_object",
      summary: "A serialised object",
      targets: ["query_values", "cookies", "body"],
      pattern: String.raw`(?:^|[;{=&"'])[oc](?::|%3a)[0-9]+(?::|%3a)(?:"|%22)[a-z_\\][a-z0-9_\\]*(?:"|%22)(?::|%3a)[0-9]+(?::|%3a)(?:\{|%7b)`,
      literals: [':"', "%3a%22", ":%22", '%3a"'],
    },
    {
      id: "php_setting",
      summary: "A setting of PHP that makes it include what a request brings",
      targets: INPUT,
      pattern: String.raw`\b(?:allow_url_include|auto_prepend_file|auto_append_file)\b`,
      literals: ["allow_url_include", "auto_prepend_file", "auto_append_file"],
    },
    {
      id: "php_invoke",
      summary: "The probe for frameworks that let a request choose the function (CVE-2018-20062)",
      targets: ["query_values", "path"],
      pattern: String.raw`think\\+(?:app|container|request)[/\\]|[/\\]invokefunction\b`,
      literals: ["think\\", "invokefunction"],
    },
  ],
};
