// `ai_bots`: programs that fetch pages for language models, by the names that their makers publish.
import type { SignatureSet } from "./sets.ts";

export const AI_BOTS: SignatureSet = {
  defaultAction: "deny",
  signatures: [
    {
      id: "ai_training",
      summary: "Gathers text to train models with",
      targets: ["user_agent", "bot_name"],
      pattern: String.raw`\b(?:ai2bot|amazonbot|anthropic-ai|bytespider|ccbot|claude-web|claudebot|cohere-ai|cohere-training-data-crawler|diffbot|facebookbot|gptbot|icc-crawler|imagesiftbot|img2dataset|kangaroo bot|meta-externalagent|omgili|omgilibot|pangubot|sidetrade indexer bot|tiktokspider|timpibot|velenpublicwebcrawler|webzio-extended)\b`,
    },
    {
      id: "ai_search",
      summary: "Builds an index that models answer from",
      targets: ["user_agent", "bot_name"],
      pattern: String.raw`\b(?:claude-searchbot|google-cloudvertexbot|iaskspider|meta-webindexer|oai-searchbot|perplexitybot|youbot)\b`,
    },
    {
      id: "ai_assistant",
      summary: "Fetches a page for somebody who asks a model",
      targets: ["user_agent", "bot_name"],
      pattern: String.raw`\b(?:chatgpt-user|claude-user|duckassistbot|gemini-deep-research|meta-externalfetcher|mistralai-user|novaact|perplexity-user)\b`,
    },
    {
      id: "ai_category",
      summary: "A bot of a category that begins with ai",
      targets: ["bot_category"],
      pattern: "^ai(?:[_ -][a-z_ -]+)?$",
    },
  ],
};
