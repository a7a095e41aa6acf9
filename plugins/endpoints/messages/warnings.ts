import type { GatewayError } from '../../../core/index.ts'
import { withParam, type Warning } from '../../../core/kit.ts'

/** Members of the neutral request that have another name here. */
const names: Readonly<Record<string, string>> = {
  input: 'messages',
  max_output_tokens: 'max_tokens',
  stop: 'stop_sequences',
  reasoning: 'thinking',
  'reasoning.effort': 'thinking',
  'reasoning.summary': 'thinking',
  'text.format': 'output_config.format',
  'text.format.schema': 'output_config.format.schema',
  parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
  max_tool_calls: 'tools',
  user: 'metadata.user_id',
}

/** Names the caller's member in a warning of core. */
export function publicWarning(warning: Warning): Warning {
  const param = names[warning.param]
  return param === undefined ? warning : { ...warning, param }
}

/** Names the caller's member in an error of core. */
export function inCallersWords(error: GatewayError): GatewayError {
  const param = error.param === undefined ? undefined : names[error.param]
  return param === undefined ? error : withParam(error, param)
}
