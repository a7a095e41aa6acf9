import type { JsonObject } from '../../../../core/index.ts'
import { errorCodes } from '../../../../core/kit.ts'
import { checkEvents, checkResponse, ContractError, readEvents } from '../../../../core/testing/index.ts'
import { object, string } from '../oracle/json.ts'
import type { OracleReading } from '../oracle/oracle.ts'
import type { RecordedReply, Recording } from '../../../kit/recordings.ts'
import { differ, differencesInSpeech, differencesInUsage, normalCalls } from './differences.ts'
import { cutShort, expectedFailure, lacksEnd, type ExpectedFailure } from './failures.ts'
import { cutUp, type Lengths } from './pieces.ts'
import { readPublicDeltas, readPublicResponse } from './public-reading.ts'
import { requestFor } from './request.ts'
import type { RecordedUpstream, Served } from './upstream.ts'

export interface Replayed {
  readonly recording: Recording
  readonly reply: RecordedReply
  readonly oracle: OracleReading
  /** If the model paused: its continuation, and the reading of the whole answer. */
  readonly resumed: { readonly reply: RecordedReply; readonly oracle: OracleReading } | undefined
  /** The provider's id, and where the upstream knows it. */
  readonly provider: string
}

export type Ask = (body: JsonObject) => Promise<Response>

/** Asks the gateway, whose vendor answers with the recording, and says in what the public answer differs from the oracle's reading. */
export async function checkThroughGateway(
  ask: Ask,
  upstream: RecordedUpstream,
  { recording, reply, oracle: firstTurn, resumed, provider }: Replayed,
  lengths: Lengths,
): Promise<string[]> {
  const served: Served = { status: recording.status, headers: reply.headers, pieces: cutUp(reply.body, lengths) }
  const oracle = resumed?.oracle ?? firstTurn
  upstream.prepare(provider, served, ...(resumed ? [{ status: 200, headers: resumed.reply.headers, pieces: [resumed.reply.body] }] : []))
  const stream = recording.mode === 'stream'
  const response = await ask(requestFor(recording, `${provider}/${recording.model || 'any'}`, oracle))
  const text = await response.text()
  try {
    const failure = oracle.error ? expectedFailure(oracle.error) : lacksEnd(oracle) ? cutShort : undefined
    if (failure && !(stream && saysSomething(oracle))) return differencesInRefusal(failure, oracle, response.status, text)
    if (response.status !== 200) return [`status 200 was expected, and ${response.status} came with ${text.slice(0, 300)}`]
    if (!stream) return differences(oracle, readPublicResponse(checkResponse(JSON.parse(text))))
    const events = readEvents(text)
    const checked = checkEvents(events)
    const deltas = readPublicDeltas(events)
    if (failure) return differencesInBreak(failure, oracle, deltas, checked.response)
    const terminal = readPublicResponse(checked.response)
    return [
      ...differences(oracle, terminal),
      ...differencesInSpeech(terminal, deltas).map(problem => `the deltas against the terminal event: ${problem}`),
    ]
  } catch (error) {
    if (error instanceof ContractError) return [`the protocol is broken: ${error.message}`]
    throw error
  }
}

type Public = ReturnType<typeof readPublicResponse>

function differences(oracle: OracleReading, actual: Public): string[] {
  return [
    ...differ('finish', finishes[oracle.finish!] ?? oracle.finish, actual.finish),
    ...differencesInSpeech(expectedSpeech(oracle), actual),
    ...differencesInUsage(oracle.usage, actual.usage),
  ]
}

/** The public form of each reason to stop: a status, or why the response is incomplete. */
const finishes: Readonly<Record<string, string>> = {
  stop: 'completed',
  'tool-calls': 'completed',
  length: 'max_output_tokens',
  'content-filter': 'content_filter',
}

/** The request is refused with the vendor's failure, in the gateway's words. */
function differencesInRefusal(failure: ExpectedFailure, oracle: OracleReading, status: number, text: string): string[] {
  if (status === 200) return [`status ${failure.status} was expected, and an answer came`]
  const error = object(object(JSON.parse(text))['error'])
  const own = oracle.error?.message ?? ''
  const told = own !== '' && (text.includes(JSON.stringify(own).slice(1, -1)) || isTold(own, withoutProvider(string(error['message']))))
  return [
    ...differ('status', failure.status, status),
    ...differ('error code', failure.code, error['code']),
    ...(failure.private && told ? ["what the vendor says of the gateway's own account was passed on"] : []),
    ...(!failure.private && own && !told ? [`the vendor's message ${JSON.stringify(own)} is missing in ${text}`] : []),
  ]
}

/** The gateway says who failed before what the vendor says. */
function withoutProvider(message: string): string {
  return message.replace(/^The provider "[^"]+" (?:failed|limits the rate|took too long): /, '')
}

/** Account ids of the gateway's operator are masked: everything around them is there. */
function isTold(own: string, message: string): boolean {
  let from = 0
  for (const piece of message.split('***')) {
    const at = own.indexOf(piece, from)
    if (at === -1) return message.includes(own)
    from = at + piece.length
  }
  return from === own.length || message.includes(own)
}

/** The stream breaks off after what had been said, with the failure's code where the protocol has it. */
function differencesInBreak(
  failure: ExpectedFailure,
  oracle: OracleReading,
  deltas: ReturnType<typeof readPublicDeltas>,
  response: JsonObject,
): string[] {
  const code = errorCodes.some(known => known === failure.code) ? failure.code : 'provider_error'
  return [
    ...differ('status', 'failed', response['status']),
    ...differ('error code', code, string(object(response['error'])['code'])),
    ...differencesInSpeech(expectedSpeech(oracle), deltas),
  ]
}

function expectedSpeech(oracle: OracleReading): OracleReading {
  return { ...oracle, toolCalls: normalCalls(oracle.toolCalls, oracle.finish === 'length') }
}

function saysSomething({ text, refusal, reasoning, toolCalls }: OracleReading): boolean {
  return text !== '' || refusal !== '' || reasoning !== '' || toolCalls.length > 0
}
