import type { ResponsesSearch } from '../../../dialects/index.ts'

/**
 * Models that run the tool `web_search`, by name. Sources: platform.openai.com, "Web search" and the pages of the models; docs.x.ai, "Web
 * Search". Newer names count as their predecessors do.
 */
export const searching: ResponsesSearch = {
  models: [
    /(^|\/)gpt-4o(-mini)?(-\d{4}-\d\d-\d\d)?$/,
    /(^|\/)gpt-4\.1(-mini)?(-\d{4}-\d\d-\d\d)?$/,
    /(^|\/)gpt-[5-9](?!.*(chat|codex|image|audio|realtime|transcribe|tts))/,
    /(^|\/)o3(-pro|-deep-research)?(-\d{4}-\d\d-\d\d)?$/,
    /(^|\/)o4-mini(-deep-research)?(-\d{4}-\d\d-\d\d)?$/,
    /(^|\/)grok-[4-9](?!.*(image|imagine|video|voice))/,
  ],
  // xAI.
  excludesDomains: /(^|\/)grok-/,
}
