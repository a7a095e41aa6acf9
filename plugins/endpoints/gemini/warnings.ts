import type { Warning } from '../../../core/kit.ts'

/** Members of the neutral request that have another name here. */
const names: Readonly<Record<string, string>> = {
  input: 'contents',
  max_output_tokens: 'generationConfig.maxOutputTokens',
  choices: 'generationConfig.candidateCount',
  stop: 'generationConfig.stopSequences',
  temperature: 'generationConfig.temperature',
  top_p: 'generationConfig.topP',
  top_k: 'generationConfig.topK',
  seed: 'generationConfig.seed',
  presence_penalty: 'generationConfig.presencePenalty',
  frequency_penalty: 'generationConfig.frequencyPenalty',
  top_logprobs: 'generationConfig.logprobs',
  logprobs: 'generationConfig.responseLogprobs',
  reasoning: 'generationConfig.thinkingConfig',
  'reasoning.effort': 'generationConfig.thinkingConfig',
  'reasoning.summary': 'generationConfig.thinkingConfig.includeThoughts',
  'text.format': 'generationConfig.responseSchema',
  tool_choice: 'toolConfig',
  service_tier: 'serviceTier',
}

/** Names the caller's member in a warning of core. */
export function publicWarning(warning: Warning): Warning {
  return { ...warning, param: publicParam(warning.param) }
}

/** The same in an error. Places in core's items are not those of the caller's parts. */
export function publicParam(param: string): string {
  return names[param] ?? (/^input\b/.test(param) ? 'contents' : param)
}
