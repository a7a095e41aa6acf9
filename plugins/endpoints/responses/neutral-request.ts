import type { GenerationRequest } from '../../../core/index.ts'
import { namedSession, type AnswerDetail, type HistoryUse, type RequestEnvelope, type Warning } from '../../../core/kit.ts'
import type { NamedConversation } from './conversation.ts'
import { isOwnMember, type Includable, type RequestBody } from './request-body.ts'

/** A body in core's words. */
export interface NeutralRequest {
  readonly request: GenerationRequest
  readonly envelope: RequestEnvelope
}

const historyParam = 'previous_response_id'
const logprobs = 'message.output_text.logprobs'
const plainHistory: HistoryUse = { param: historyParam }

const detailOf: Readonly<Record<Exclude<Includable, typeof logprobs>, AnswerDetail>> = {
  'web_search_call.results': 'search-results',
  'web_search_call.action.sources': 'search-sources',
  'reasoning.encrypted_content': 'reasoning-state',
  'file_search_call.results': 'file-search-results',
  'code_interpreter_call.outputs': 'code-outputs',
  'message.input_image.image_url': 'input-images',
  'computer_call_output.output.image_url': 'screenshots',
}

/** Splits a body into the question and what core should do besides. */
export function neutralRequest(body: RequestBody, conversation?: NamedConversation): NeutralRequest {
  const history = conversation ? within(conversation, body) : historyOf(body)
  return { request: withoutOwnMembers(body), envelope: { history, recorded: body } }
}

function historyOf({ previous_response_id: continues, store }: RequestBody): HistoryUse {
  return continues === undefined && store === undefined ? plainHistory : { param: historyParam, continues, store }
}

/** A stored answer names the conversation that it belongs to, because it alone does not lead to what came before it. */
function within({ id, thread }: NamedConversation, { store }: RequestBody): HistoryUse {
  return { param: 'conversation', continues: id, store, thread }
}

/** Many bodies have no member of this surface, and are the request. */
function withoutOwnMembers(body: RequestBody): GenerationRequest {
  for (const name in body) if (isOwnMember(name)) return translated(body)
  return body
}

function translated(body: RequestBody): GenerationRequest {
  const request: Record<string, unknown> = {}
  for (const name in body) if (!isOwnMember(name)) request[name] = body[name as keyof RequestBody]
  const session = namedSession(body)
  if (session !== undefined) request['session_id'] = session
  const { include = [] } = body
  if (include.includes(logprobs)) request['logprobs'] = true
  const details = include.flatMap(value => (value === logprobs ? [] : detailOf[value]))
  if (details.length > 0) request['details'] = details
  return request as unknown as GenerationRequest
}

/** Names the caller's member in a warning of core. */
export function publicWarning(warning: Warning): Warning {
  return warning.param === 'logprobs' ? { param: 'include', message: `${logprobs} ${warning.message}` } : warning
}
