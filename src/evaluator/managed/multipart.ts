// `ma`: multipart bodies made so that the firewall and the program read them differently, and files that a server runs.
import type { SignatureSet } from "./sets.ts";

export const MULTIPART: SignatureSet = {
  defaultAction: "log",
  signatures: [
    {
      id: "ma_boundary",
      summary: "A boundary with characters that RFC 2046 does not allow and no client uses",
      targets: ["header:content-type"],
      pattern: String.raw`^multipart/[^\n]*boundary="?[^";]*[<>{}|\\^$\x60\x00]`,
    },
    {
      id: "ma_two_boundaries",
      summary: "More than one boundary",
      targets: ["header:content-type"],
      pattern: String.raw`^multipart/[^\n]*boundary=[^\n]*[;,][\t ]*boundary=`,
    },
    {
      id: "ma_two_types",
      summary: "A second type behind that of the multipart body",
      targets: ["header:content-type"],
      pattern: String.raw`^multipart/[^\n]*,[\t ]*(?:application|multipart|text)/`,
    },
    {
      id: "ma_transfer_encoding",
      summary: "A part in an encoding that RFC 7578 has put away with",
      targets: ["body"],
      pattern: String.raw`content-disposition:[\t ]*form-data[^\n]*\n(?:[a-z-]+:[^\n]*\n)*content-transfer-encoding:[\t ]*(?:base64|quoted-printable|x-)`,
      literals: ["content-transfer-encoding:"],
    },
    {
      id: "ma_file_path",
      summary: "A file name that leads out of its folder",
      targets: ["body"],
      pattern: String.raw`content-disposition:[^\n]*filename\*?=[^\n]*(?:\.\.[/\\]|%00|\x00)`,
      literals: ["content-disposition:"],
    },
    {
      id: "ma_program",
      summary: "A file that a web server may run (also behind a second extension)",
      targets: ["body"],
      pattern: String.raw`content-disposition:[^\n]*filename\*?=[^\n]*\.(?:php[3-8]?|phtml|phar|jspx?|aspx?|htaccess)(?:\.[a-z0-9]{1,5})?"?[\t ]*(?:[;\r\n]|$)`,
      literals: ["content-disposition:"],
    },
  ],
};
