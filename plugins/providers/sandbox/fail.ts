import { ProviderFailure, type FailureKind, type GenerationEvent, type JsonObject, type ProviderCall } from '../../../core/index.ts'
import { errorCodes, failureKindOfStatus, isImageErrorCode, type ImageErrorCode } from '../../../core/kit.ts'
import { misunderstood, readInstruction, wholeNumber, type Instruction } from './instruction.ts'
import { pieces, speak, textEvent } from './reply.ts'

/** The status that a vendor would send for each kind. Undefined if no reply would arrive. */
const statusOfKind: Readonly<Record<FailureKind, number | undefined>> = {
  'invalid-request': 400,
  'not-found': 404,
  auth: 401,
  quota: 402,
  'rate-limit': 429,
  overloaded: 529,
  unavailable: 503,
  timeout: 504,
  network: undefined,
  protocol: undefined,
  refused: 451,
  'context-length': 400,
}

/** Fails, stops short or refuses as the last user message asks. */
export async function* fail(call: ProviderCall): AsyncGenerator<GenerationEvent> {
  const plan = readPlan(readInstruction(call))
  if (plan.provider !== undefined && plan.provider !== call.endpoint.provider)
    return yield* await speak(call.request, `${call.endpoint.provider} does not fail.`)
  for (let piece = 1; piece <= plan.after; piece++) yield textEvent(call.request, `${piece === 1 ? '' : ' '}Piece ${piece}.`)
  if (plan.end === 'cut') return
  if (plan.end instanceof ProviderFailure) throw plan.end
  for (const text of pieces(plan.end.refusal ?? '')) yield { type: 'refusal', text }
  yield { type: 'finish', reason: plan.end.finish }
}

interface Plan {
  /** Pieces of text before the end. */
  readonly after: number
  readonly end: 'cut' | ProviderFailure | { readonly refusal?: string; readonly finish: 'stop' | 'content-filter' }
  /** The only provider that fails. */
  readonly provider: string | undefined
}

const members = ['status', 'kind', 'code', 'retryAfterMs', 'message', 'after', 'cut', 'refusal', 'contentFilter', 'provider']
const manual =
  'sandbox/fail reads its instructions from the last user message: a status from 400 to 599, ' +
  `a kind of failure (${Object.keys(statusOfKind).join(', ')}), cut, refusal or content-filter, ` +
  `or a JSON object with these members: ${members.join(', ')}. ` +
  'For example: {"status":429,"retryAfterMs":2000,"after":3}'

function readPlan({ text, object }: Instruction): Plan {
  const asked = object ?? readWord(text)
  const unknown = Object.keys(asked).find(name => !members.includes(name))
  if (unknown !== undefined) throw misunderstood(`sandbox/fail does not know ${JSON.stringify(unknown)}. ${manual}`)
  return { after: wholeNumber(asked, 'after', 10_000) ?? 0, end: readEnd(asked), provider: readText(asked, 'provider') }
}

function readWord(text: string): JsonObject {
  const word = text.toLowerCase()
  if (/^\d{3}$/.test(word)) return { status: Number(word) }
  if (word === 'cut') return { cut: true }
  if (word === 'refusal' || word === 'refuse') return { refusal: 'I cannot help with that.' }
  if (word === 'content-filter') return { contentFilter: true }
  return { kind: word }
}

function readEnd(asked: JsonObject): Plan['end'] {
  const refusal = readText(asked, 'refusal')
  if (refusal !== undefined) return { refusal, finish: 'stop' }
  if (isTrue(asked, 'contentFilter')) return { finish: 'content-filter' }
  if (isTrue(asked, 'cut')) return 'cut'
  const { kind, status } = readKind(asked)
  const message = readText(asked, 'message') ?? `The sandbox failed as requested (${kind}).`
  const retryAfterMs = wholeNumber(asked, 'retryAfterMs', 86_400_000)
  const code = readCode(asked)
  const upstream = status === undefined ? undefined : JSON.stringify({ error: { type: kind, message } })
  return new ProviderFailure({ kind, message, status, retryAfterMs, code, upstream })
}

function readKind(asked: JsonObject): { readonly kind: FailureKind; readonly status: number | undefined } {
  const status = wholeNumber(asked, 'status', 599)
  if (status !== undefined && status < 400) throw misunderstood(`status must be from 400 to 599. ${manual}`)
  if (asked.kind === undefined) {
    if (status === undefined) throw misunderstood(manual)
    return { kind: failureKindOfStatus(status), status }
  }
  const kind = Object.keys(statusOfKind).find(each => each === asked.kind) as FailureKind | undefined
  if (!kind) throw misunderstood(`sandbox/fail does not understand the request. ${manual}`)
  return { kind, status: status ?? statusOfKind[kind] }
}

function readCode({ code }: JsonObject): ImageErrorCode | undefined {
  if (code === undefined || isImageErrorCode(code)) return code
  throw misunderstood(`code must be one of ${errorCodes.filter(isImageErrorCode).join(', ')}.`)
}

function readText(asked: JsonObject, name: string): string | undefined {
  const value = asked[name]
  if (value === undefined || typeof value === 'string') return value
  throw misunderstood(`${name} must be a string, not ${JSON.stringify(value)}.`)
}

function isTrue(asked: JsonObject, name: string): boolean {
  const value = asked[name] ?? false
  if (typeof value === 'boolean') return value
  throw misunderstood(`${name} must be true or false, not ${JSON.stringify(value)}.`)
}
