import { invalidRequest, isObject, type Caller, type GatewayError } from '../../../core/index.ts'
import { type Conversations, type ConversationThread, type RequestScope, type StoredResponses, wording } from '../../../core/kit.ts'
import type { RequestBody } from './request-body.ts'

/** `absent`: no plugin keeps conversations. `unlogged`: the key has request logging off, so nothing is kept. */
export type ConversationUse = 'kept' | 'unlogged' | 'absent'

export interface NamedConversation {
  readonly id: string
  readonly thread: ConversationThread
}

export function conversationUse({ caller }: Pick<RequestScope, 'caller'>, conversations: Conversations | undefined): ConversationUse {
  if (!conversations) return 'absent'
  return caller.policy.logging.value ? 'kept' : 'unlogged'
}

/** The conversation that a request names, if it is kept. With `adds: false`, it is only read. */
export function namedConversation(
  { conversation, store }: RequestBody,
  scope: RequestScope,
  conversations: Conversations | undefined,
  adds = store !== false,
): NamedConversation | undefined {
  if (conversation === undefined || !conversations || conversationUse(scope, conversations) !== 'kept') return undefined
  const id = typeof conversation === 'string' ? conversation : conversation.id
  return { id, thread: conversations.open(scope, id, { adds }) }
}

/** A response of a conversation has its own turn only, so a chain cannot lead through it. The error then names the conversation. */
export async function aboutConversation(
  responses: StoredResponses,
  caller: Caller,
  id: string,
  { param, code }: GatewayError,
): Promise<GatewayError | undefined> {
  const conversation: unknown = await responses.find(caller, id).then(
    ({ body }) => body['conversation'],
    () => undefined,
  )
  if (!isObject(conversation)) return undefined
  const named = `Response '${id}' belongs to the conversation '${String(conversation['id'])}'`
  return invalidRequest(wording`${named}. Send "conversation" with that id instead of previous_response_id.`, param, code)
}
