// `rfi`: values that make a program load and run a file from elsewhere.
import type { SignatureSet } from "./sets.ts";

const SCRIPT = "(?:php[3-8]?|phtml|txt|inc|jspx?|aspx?|sh|pl|py|cgi)";

export const REMOTE_FILES: SignatureSet = {
  defaultAction: "log",
  signatures: [
    {
      id: "rfi_address",
      summary: "A script on a bare address",
      targets: ["query_values"],
      pattern: String.raw`^(?:https?|ftps?)://[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?::[0-9]+)?/[^?#]*\.${SCRIPT}(?:[?#]|$)`,
      literals: ["://"],
    },
    {
      id: "rfi_cut_off",
      summary: "A script elsewhere, with a mark at the end that cuts off what the program adds",
      targets: ["query_values"],
      pattern: String.raw`^(?:https?|ftps?)://[^?#]+\.${SCRIPT}(?:\?+|#|%00|\x00)$`,
      literals: ["://"],
    },
    {
      id: "rfi_stream",
      summary: "A stream that reads or runs more than files",
      targets: ["query_values", "cookies"],
      pattern: String.raw`^(?:expect|glob|ogg|phar|rar|ssh2(?:\.[a-z]+)?|zip|zlib|compress\.(?:zlib|bzip2))://`,
      literals: ["://"],
    },
    {
      id: "rfi_data",
      summary: "A program as a data: address",
      targets: ["query_values", "cookies"],
      pattern: String.raw`^data:(?://)?[a-z/+.-]*(?:;[a-z0-9=-]+)*,(?:<\?|%3c%3f|pd9w|pd89)`,
      literals: ["data:"],
    },
    {
      id: "rfi_share",
      summary: "A file on a network share",
      targets: ["query_values"],
      pattern: String.raw`^\\\\[a-z0-9.-]+(?:@(?:ssl|[0-9]+))?\\[a-z0-9$._-]+`,
      literals: ["\\\\"],
    },
  ],
};
