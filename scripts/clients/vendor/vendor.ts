import { cut, fakeUpstream, stall, type FakeReply, type FakeUpstream, type Step } from '../../../core/testing/index.ts'
import { answerTo, type Answer } from './answer.ts'
import { chat } from './chat.ts'
import { converse } from './converse.ts'
import { gemini } from './gemini.ts'
import { messages } from './messages.ts'
import type { Question } from './question.ts'
import { responses } from './responses.ts'
import type { Wire } from './wire.ts'

/** By the names of their providers: litellm takes `responses/…` for an address. */
export const wires = {
  'by-responses': responses,
  'by-chat': chat,
  'by-messages': messages,
  'by-gemini': gemini,
  'by-converse': converse,
} as const satisfies Readonly<Record<string, Wire>>
export type WireName = keyof typeof wires

/** The scripted model. */
export type Model = (question: Question) => Answer

/**
 * A vendor on loopback that behaves as the model's name says: `busy-429-x` fails once with that status and then answers, `failing-500`
 * always fails, `slow` begins to answer and then is silent, `cut` loses the connection in the middle of its answer. Others answer.
 */
export async function scriptedVendor(name: WireName, answer: Model = answerTo): Promise<FakeUpstream> {
  const wire: Wire = wires[name]
  const seen = new Set<string>()
  return await fakeUpstream(request => {
    const other = wire.other?.(request)
    if (other) return other
    const question = wire.question(request)
    const [, kind, status] = /(busy|failing)-(\d{3})/.exec(question.model) ?? []
    if (kind === 'failing' || (kind === 'busy' && !seen.has(question.model))) {
      seen.add(question.model)
      return refusal(wire, Number(status), `This vendor answers with ${status}.`)
    }
    const given = answer(question)
    return given.refusal === undefined ? reply(wire, question, given) : refusal(wire, 400, given.refusal)
  })
}

function refusal(wire: Wire, status: number, message: string): FakeReply {
  const headers = { 'content-type': 'application/json', ...(status === 429 && { 'retry-after': '1' }) }
  return { status, headers, body: JSON.stringify(wire.failure(status, message)) }
}

function reply(wire: Wire, { model, streamed, compacts }: Question, given: Answer): FakeReply {
  const answer = compacts ? { ...given, compacts } : given
  const ending: readonly Step[] = model.includes('slow') ? [stall] : model.includes('cut') ? [cut] : []
  if (!streamed) return { headers: { 'content-type': 'application/json' }, body: [...ending, JSON.stringify(wire.whole(answer, model))] }
  const { opening, rest } = wire.stream(answer, model)
  return {
    headers: { 'content-type': wire.contentType ?? 'text/event-stream' },
    body: [...opening, ...(ending.length > 0 ? ending : rest)],
  }
}
