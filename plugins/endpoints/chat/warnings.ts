import type { Warning } from '../../../core/kit.ts'

/** Members of the neutral request that have another name here. */
const names: Readonly<Record<string, string>> = {
  input: 'messages',
  max_output_tokens: 'max_completion_tokens',
  choices: 'n',
  'reasoning.effort': 'reasoning_effort',
  'text.format': 'response_format',
  'text.verbosity': 'verbosity',
}

/** Names the caller's member in a warning of core. */
export function publicWarning(warning: Warning): Warning {
  const param = names[warning.param]
  return param === undefined ? warning : { ...warning, param }
}
