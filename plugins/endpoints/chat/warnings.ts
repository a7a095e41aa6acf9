import type { GatewayError } from '../../../core/index.ts'
import { withParam, type Warning } from '../../../core/kit.ts'

/** Members of the neutral request that have another name here. */
const names: Readonly<Record<string, string>> = {
  input: 'messages',
  max_output_tokens: 'max_completion_tokens',
  choices: 'n',
  'reasoning.effort': 'reasoning_effort',
  'text.format': 'response_format',
  'text.format.schema': 'response_format.json_schema.schema',
  'text.verbosity': 'verbosity',
}

/** Names the caller's member in a warning of core. */
export function publicWarning(warning: Warning): Warning {
  const param = names[warning.param]
  return param === undefined ? warning : { ...warning, param }
}

/** Names the caller's member, or its message, in an error of core. `places`: for each item of the input, the index of its message. */
export function publicError(error: GatewayError, places: readonly number[]): GatewayError {
  const { param } = error
  if (param === undefined) return error
  const place = places[Number(/^input\[(\d+)\]/.exec(param)?.[1])]
  const name = place === undefined ? names[param] : `messages[${place}]`
  return name === undefined ? error : withParam(error, name)
}
