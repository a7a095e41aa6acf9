import type { FakeReply, ReceivedRequest } from '../../../core/testing/index.ts'
import { topTokens, type Leaning } from './llm-engine.ts'

interface ChatBody {
  readonly messages: readonly { readonly role: string; readonly content: string | readonly { readonly text?: string }[] }[]
  readonly top_logprobs?: number
}

/** The user's text in a request in the dialect of Chat Completions or Ollama. */
export function userText({ body }: ReceivedRequest): string {
  const content = (body as ChatBody).messages.findLast(({ role }) => role === 'user')?.content ?? ''
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('')
}

export function json(body: unknown): FakeReply {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

export const chatUsage = { prompt_tokens: 50, completion_tokens: 1, total_tokens: 51, prompt_tokens_details: { cached_tokens: 10 } }

/** One label, as hosts of chat completions say it. */
export function chatLabel(request: ReceivedRequest, lean: Leaning): FakeReply {
  const told = topTokens(userText(request), lean, (request.body as ChatBody).top_logprobs ?? 0, {})
  const choice = { index: 0, message: { role: 'assistant', content: told.token }, logprobs: { content: [told] }, finish_reason: 'length' }
  return json({ id: 'chatcmpl-1', object: 'chat.completion', created: 0, model: 'small', choices: [choice], usage: chatUsage })
}

/** One label, as Ollama says it in its own dialect. */
export function ollamaLabel(request: ReceivedRequest, lean: Leaning): FakeReply {
  const told = topTokens(userText(request), lean, (request.body as ChatBody).top_logprobs ?? 0, {})
  return json({
    model: 'small',
    created_at: '2026-01-01T00:00:00Z',
    message: { role: 'assistant', content: told.token },
    logprobs: [told],
    done: true,
    done_reason: 'length',
    prompt_eval_count: 40,
    eval_count: 1,
  })
}
