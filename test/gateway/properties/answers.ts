import { isDeepStrictEqual } from 'node:util'
import OpenAI from 'openai'
import { checkResponse, checkStream, type CheckedResponse, type GrammarOptions, type TestGateway } from '../../../core/testing/index.ts'

/** The outcome of one case, for counting. */
export type Ending = 'completed' | 'incomplete' | 'failed' | `${number}`

/**
 * Asks the same twice, whole and as a stream, of a provider that says the same twice. Throws unless both obey the protocol, the SDK takes
 * the stream, and both tell the same but for ids and times.
 */
export async function answeredAlike(under: TestGateway, body: object, options?: GrammarOptions): Promise<Ending> {
  const whole = await under.request('/v1/responses', { body: { ...body, stream: false } })
  const object = (await whole.json()) as unknown
  const streamed = await under.request('/v1/responses', { body: { ...body, stream: true } })
  const text = await streamed.text()
  if (streamed.headers.get('content-type') !== 'text/event-stream') {
    alike({ status: whole.status, body: object }, { status: streamed.status, body: JSON.parse(text) })
    return `${refused(streamed.status)}`
  }
  const { response } = checkStream(text, options)
  await checkWithSdk(text, response)
  if (response.status === 'failed') {
    const { error } = object as { error?: { code: string; message: string } }
    refused(whole.status)
    alike(error?.message, response.error?.message)
  } else {
    if (whole.status !== 200) throw new Error(`the stream is ${response.status}, and without streaming the status is ${whole.status}`)
    alike(comparable(checkResponse(object)), comparable(response))
  }
  return response.status as Ending
}

function refused(status: number): number {
  if (status === 500 || status < 400) throw new Error(`the status of a failure is ${status}`)
  return status
}

function alike(whole: unknown, streamed: unknown): void {
  if (!isDeepStrictEqual(whole, streamed)) throw new Error(`whole: ${JSON.stringify(whole)}\nstreamed: ${JSON.stringify(streamed)}`)
}

const ids = new Set(['id', 'call_id', 'encrypted_content'])
const times = new Set(['created_at', 'completed_at'])

/** Ids by the order of their coming, and no times. */
function comparable(response: CheckedResponse): unknown {
  const known = new Map<unknown, string>()
  return JSON.parse(
    JSON.stringify(response, (key, value: unknown) => {
      if (times.has(key)) return value === null ? null : 'a time'
      if (!ids.has(key)) return value
      if (!known.has(value)) known.set(value, `the ${known.size}th ${key}`)
      return known.get(value)
    }),
  )
}

async function checkWithSdk(text: string, response: CheckedResponse): Promise<void> {
  const fetch = async (): Promise<Response> => new Response(text, { headers: { 'content-type': 'text/event-stream' } })
  const client = new OpenAI({ apiKey: 'sk-demo-0001', baseURL: 'http://gateway.example/v1', fetch, maxRetries: 0 })
  const stream = client.responses.stream({ model: 'demo/one', input: 'Hi' })
  if (response.status === 'failed') {
    const error = await stream.finalResponse().then(
      () => new Error('nothing was thrown'),
      (thrown: Error) => thrown,
    )
    if (!error.message.includes(response.error!.message)) throw new Error(`the SDK throws ${error.message} for ${response.error!.message}`)
    return
  }
  const final = await stream.finalResponse()
  alike(withoutParsed(final.output), response.output)
  if (final.status !== response.status) throw new Error(`the SDK's status is ${final.status}`)
}

/** The SDK adds what it parsed. */
function withoutParsed(output: unknown): unknown {
  return JSON.parse(JSON.stringify(output, (key, value: unknown) => (key === 'parsed' || key === 'parsed_arguments' ? undefined : value)))
}
