// `traffic_sources`: where a request comes from, as the fact `trafficSource` or a relay's own header says it.
import type { SignatureSet } from "./sets.ts";

export const TRAFFIC_SOURCES: SignatureSet = {
  defaultAction: "log",
  signatures: [
    {
      id: "source_relay",
      summary: "A network that hides its users' addresses",
      targets: ["traffic_source"],
      pattern:
        "^(?:anonymi[sz]er|(?:anonymous|open|public|residential)[_ -]proxy|proxy|tor|tor[_ -]exit(?:[_ -]node)?|vpn)$",
    },
    {
      id: "source_hosting",
      summary: "A data centre",
      targets: ["traffic_source"],
      pattern: "^(?:cloud|data[_ -]?cent(?:er|re)|hosting)$",
    },
    {
      id: "source_attacker",
      summary: "A source of earlier attacks",
      targets: ["traffic_source"],
      pattern: "^(?:attacker|block[_ -]?list(?:ed)?|botnet|malicious|spam(?:mer)?)$",
    },
    {
      id: "source_tor2web",
      summary: "A gateway from the web into Tor, by the header that it sends",
      targets: ["header:x-tor2web"],
      pattern: "[a-z0-9]",
    },
  ],
};
