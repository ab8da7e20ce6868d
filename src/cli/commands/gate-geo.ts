import { Option } from "commander";
import type { CommandGroup, CommandSpec } from "../command.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import { formatSize, formatTable } from "../output.ts";
import { readGate } from "../../serve/config/config.ts";

const updateCommand: CommandSpec<{ readonly url?: string }> = {
  name: "update",
  needs: "gate",
  settings: ["dir", "geoDir", "logLevel"],
  summary: "download free databases of countries and networks",
  description:
    "Download the free databases of DB-IP into REEVE_GATE_GEO_DIR: the country of an address, and the number of its network. They are " +
    "published monthly; gates that read the folder notice by themselves. Their licence, CC BY 4.0, asks for attribution: it is printed, and " +
    "written beside them. Nothing is replaced by what cannot be read.",
  examples: [
    "reeve gate geo update",
    "reeve gate geo update --geo-dir /var/lib/reeve/geo --url https://mirror.example.com/dbip",
  ],
  options: [
    new Option(
      "--url <url>",
      "URL of a mirror, below which dbip-country-lite-YYYY-MM.mmdb.gz and dbip-asn-lite-YYYY-MM.mmdb.gz are",
    ),
  ],
  async run({ gateFlags, options: { url }, output }) {
    if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
      throw new Failure("usage", `--url: expected a URL with http: or https:, got ${JSON.stringify(url)}`);
    }
    const settings = readGate(gateFlags);
    const { updateGeoDatabases } = await import("../bodies/geo-update.ts");
    const updated = await updateGeoDatabases(settings, url ?? null);
    const rows = updated.databases.map(({ file, type, builtAt, bytes }) => [
      file,
      type,
      new Date(builtAt).toISOString().slice(0, 10),
      formatSize(bytes),
    ]);
    output.result(updated, `${formatTable(["file", "type", "made", "size"], rows)}\n\n${updated.attribution}`);
  },
};

export const gateGeoCommands: CommandGroup = {
  name: "geo",
  summary: "databases of countries and networks",
  commands: [updateCommand],
};
