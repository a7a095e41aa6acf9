import { invalidRequest, type GatewayError, type JsonObject } from '../../../core/index.ts'
import { wording, own } from '../../../core/kit.ts'

const whatToSend = 'Send a string, or a list with at least one item'

/** The 400 for a request that the schema refused, if it has no input. Undefined for any other request. */
export function missingInput({ input, previous_response_id: continues }: JsonObject): GatewayError | undefined {
  if (Array.isArray(input) && input.length === 0) return emptyInput('list')
  if (input !== undefined && input !== null) return undefined
  const also = typeof continues === 'string' ? ' previous_response_id brings the conversation so far, and input what comes next.' : ''
  return invalidRequest(
    wording`Missing required parameter: 'input'. ${own(whatToSend)}.${own(also)}`,
    'input',
    'missing_required_parameter',
  )
}

export function emptyInput(kind: 'list' | 'string'): GatewayError {
  return invalidRequest(wording`Invalid value for 'input': it must not be an empty ${own(kind)}. ${own(whatToSend)}.`, 'input')
}
