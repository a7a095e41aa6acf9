import type { GenerationRequest, Routing } from '../contracts/request.ts'
import type { RetrievalRequest } from '../contracts/retrieval.ts'
import { GatewayError } from '../foundation/errors.ts'
import { wording } from '../foundation/wording.ts'

/**
 * A request in the words of a generation: each text is a message of the user. So guardrails check it, and the planner chooses its
 * endpoints, as for any other request.
 */
export function inWords({ model, routing }: RetrievalRequest, texts: readonly string[]): GenerationRequest {
  return {
    model,
    input: texts.map(text => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })),
    ...(routing?.provider && { routing: { provider: routing.provider } as Routing }),
  }
}

/** The texts of such a request after guardrails. Throws a 503 if one changed more than texts. */
export function textsIn({ input }: GenerationRequest, count: number): readonly string[] {
  const texts = input.map(item => {
    if (item.type !== 'message' || item.content.length !== 1) return undefined
    const [part] = item.content
    return part!.type === 'input_text' ? part!.text : undefined
  })
  if (texts.length === count && texts.every(text => text !== undefined)) return texts
  throw new GatewayError({
    status: 503,
    type: 'server_error',
    code: 'server_error',
    message: wording`A guardrail changed this request to something other than texts, so it was refused.`,
    reason: { kind: 'guardrail' },
  })
}
