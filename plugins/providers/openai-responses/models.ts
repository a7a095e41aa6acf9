import type { Capabilities } from '../../../core/index.ts'
import type { NamedEndpoint } from '../../../core/kit.ts'

/**
 * Models that run the tool `web_search`, by name. Sources: platform.openai.com, "Web search" and the pages of the models; docs.x.ai, "Web
 * Search". Newer names count as their predecessors do.
 */
const searching: readonly RegExp[] = [
  /(^|\/)gpt-4o(-mini)?(-\d{4}-\d\d-\d\d)?$/,
  /(^|\/)gpt-4\.1(-mini)?(-\d{4}-\d\d-\d\d)?$/,
  /(^|\/)gpt-[5-9](?!.*(chat|codex|image|audio|realtime|transcribe|tts))/,
  /(^|\/)o3(-pro|-deep-research)?(-\d{4}-\d\d-\d\d)?$/,
  /(^|\/)o4-mini(-deep-research)?(-\d{4}-\d\d-\d\d)?$/,
  /(^|\/)grok-[4-9](?!.*(image|imagine|video|voice))/,
]

/** If a deployment's name does not identify the model, the canonical name does. */
export function capabilitiesOf({ upstreamModel, model }: Pick<NamedEndpoint, 'model' | 'upstreamModel'>): Capabilities {
  const webSearch = [upstreamModel, model].some(name => searching.some(pattern => pattern.test(name.toLowerCase())))
  return webSearch ? { webSearch } : {}
}

export function isGrok(model: string): boolean {
  return /(^|\/)grok-/i.test(model)
}
