import { isObject, parseJson, ProviderFailure, type DecisionClient } from '../../../core/index.ts'
import {
  maxItemLevels,
  wholeReply,
  type ApiKeys,
  type DecisionCall,
  type DecisionReply,
  type DecisionRequest,
  type DecisionUsage,
  type HttpClient,
  type UpstreamHeaders,
} from '../../../core/kit.ts'
import { answersOf, soleAnswers } from './answers.ts'
import { failureOf } from './failure.ts'
import { wireRequest } from './wire-request.ts'

export interface OpenaiDecisionOptions {
  readonly id: string
  readonly keys: ApiKeys
  readonly baseUrl: string
  readonly models: readonly string[]
  readonly timeoutMs: number
  readonly http: HttpClient
}

const maxReplyBytes = 16 * 1024 * 1024
const maxQuestions = 400

/** The public Decisions API: docs/protocol/decisions.md#the-public-format. */
export function openaiClient({ id, keys, baseUrl, models, timeoutMs, http }: OpenaiDecisionOptions): DecisionClient {
  const url = `${baseUrl.replace(/\/+$/, '')}/decisions`
  return {
    provider: id,
    ...(keys.credentials && { credentials: keys.credentials }),
    timeoutMs,
    limits: { items: true, levels: maxItemLevels, questions: maxQuestions, requestTokens: Infinity, questionTokens: Infinity },
    resolve: name => (models.includes(name) ? name : undefined),
    async decide(call): Promise<DecisionReply> {
      const { request, credentialId, signal, traceparent } = call
      const sole = soleAnswers(request)
      const asked = withoutAnswered(request, sole)
      if (Object.keys(asked.questions).length === 0) return { answers: sole, usage: nothing }
      const secret = keys.secret(credentialId)
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
        ...(traceparent !== undefined && { traceparent }),
      }
      const sent = { method: 'POST', url, headers, body: JSON.stringify(wireRequest(asked)) } as const
      const reply = await wholeReply(http, sent, { signal, maxBytes: maxReplyBytes })
      noteRequestId(reply.headers, call)
      if (reply.status !== 200) throw failureOf(reply.status, reply.headers, reply.text)
      return replyOf(reply.text, asked, sole)
    },
  }
}

const nothing: DecisionUsage = { input_tokens: 0, output_tokens: 0 }

function withoutAnswered(request: DecisionRequest, answered: DecisionReply['answers']): DecisionRequest {
  const left = Object.entries(request.questions).filter(([id]) => !Object.hasOwn(answered, id))
  return { ...request, questions: Object.fromEntries(left) }
}

/** Core checks the answers and the usage. */
function replyOf(text: string, request: DecisionRequest, sole: DecisionReply['answers']): DecisionReply {
  const reply = parseJson(text)
  if (!isObject(reply))
    throw new ProviderFailure({ kind: 'protocol', status: 200, message: 'The vendor sent a reply that is not a JSON object.' })
  const { id: _, model, answers, usage, ...extra } = reply
  return {
    ...(typeof model === 'string' && model !== '' && { model }),
    answers: { ...sole, ...answersOf(answers, request) },
    usage: usage as DecisionUsage | undefined,
    extra,
  }
}

/** Puts the vendor's request id into the record. The caller does not get it. */
function noteRequestId(headers: UpstreamHeaders, { context }: DecisionCall): void {
  const id = headers['x-request-id']
  if (id !== undefined && /^[\w.:/+=-]{1,128}$/.test(id)) context.note('vendor-request', { id })
}
