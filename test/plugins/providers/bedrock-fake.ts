import { createHash } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime'
import aws4 from 'aws4'
import { fakeUpstream, type FakeReply, type FakeUpstream, type ReceivedRequest } from '../../../core/testing/index.ts'
import { encodeEvent } from './oracle/bedrock-framing.ts'

export const region = 'eu-central-1'
export const apiKey = 'bedrock-api-key-demo'
const maxSkewMs = 300_000

export interface Keys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** Who may ask, and what time it is. */
export interface FakeBedrockOptions {
  readonly keys: readonly Keys[]
  readonly now: () => number
}

/** A Bedrock that lets in nobody whose signature, made anew from the received bytes by another library, differs. */
export async function fakeBedrock({ keys, now }: FakeBedrockOptions): Promise<FakeUpstream> {
  return fakeUpstream(received => {
    const refusal = refusalOf(received, keys, now())
    const reply = refusal ? refused(refusal) : received.url.endsWith('/converse-stream') ? streamed : whole
    // The vendor's client sets its clock by it.
    return { ...reply, headers: { ...reply.headers, date: new Date(now()).toUTCString() } }
  })
}

function refused([type, message]: Refusal): FakeReply {
  return { status: 403, headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/` }, body: JSON.stringify({ message }) }
}

const whole: FakeReply = {
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    output: { message: { role: 'assistant', content: [{ text: 'Hello.' }] } },
    stopReason: 'end_turn',
    usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
    metrics: { latencyMs: 1 },
  }),
}

const streamed: FakeReply = {
  headers: { 'content-type': 'application/vnd.amazon.eventstream' },
  body: Buffer.concat([
    encodeEvent('messageStart', { role: 'assistant' }),
    encodeEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hello.' } }),
    encodeEvent('contentBlockStop', { contentBlockIndex: 0 }),
    encodeEvent('messageStop', { stopReason: 'end_turn' }),
    encodeEvent('metadata', { usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 }, metrics: { latencyMs: 1 } }),
  ]),
}

type Refusal = readonly [type: string, message: string]

function refusalOf(received: ReceivedRequest, known: readonly Keys[], now: number): Refusal | undefined {
  const { authorization = '', 'x-amz-date': date = '' } = received.headers as Readonly<Record<string, string>>
  if (authorization === `Bearer ${apiKey}`) return undefined
  const [, accessKeyId, signedHeaders] = /Credential=([^/]+)\/.*SignedHeaders=([^,]+)/.exec(authorization) ?? []
  const keys = known.find(each => each.accessKeyId === accessKeyId)
  if (!keys || !signedHeaders) return ['UnrecognizedClientException', 'The security token included in the request is invalid.']
  if (received.headers['x-amz-security-token'] !== keys.sessionToken) return ['ExpiredTokenException', 'The security token is expired']
  if (Math.abs(now - timeOf(date)) > maxSkewMs) return ['InvalidSignatureException', 'Signature expired']
  const needed = ['host', 'x-amz-date', ...(keys.sessionToken === undefined ? [] : ['x-amz-security-token'])]
  const isComplete = needed.every(name => signedHeaders.split(';').includes(name))
  if (isComplete && authorization === authorizationOf(received, signedHeaders.split(';'), keys)) return undefined
  return ['InvalidSignatureException', 'The request signature we calculated does not match the signature you provided.']
}

function authorizationOf(
  { method, url, headers, text }: ReceivedRequest,
  names: readonly string[],
  { accessKeyId, secretAccessKey }: Keys,
): string {
  const given = Object.fromEntries(names.map(name => [name, String(headers[name])]))
  // Of a body whose hash is a header, the header counts: so it has to be right.
  const hash = headers['x-amz-content-sha256']
  if (hash !== undefined && hash !== createHash('sha256').update(text).digest('hex')) return 'the body is another'
  // It would sign the length of the body in any case.
  const extraHeadersToIgnore = names.includes('content-length') ? {} : { 'content-length': true }
  const request = {
    method,
    path: url,
    headers: given,
    body: text,
    service: 'bedrock',
    region,
    extraHeadersToIgnore,
  }
  const signed = aws4.sign(request as aws4.Request, { accessKeyId, secretAccessKey })
  return String(signed.headers!['Authorization'])
}

function timeOf(date: string): number {
  return Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
}

/** The vendor's own client, over plain HTTP/1. */
export function vendorClient(endpoint: string, credentials: Keys, now: () => number): BedrockRuntimeClient {
  return new BedrockRuntimeClient({
    region,
    endpoint,
    // It writes on what it is given.
    credentials: { ...credentials },
    maxAttempts: 1,
    systemClockOffset: now() - Date.now(),
    requestHandler: {
      handle: async (request: Sent) => ({ response: (await send(request)) as never }),
    },
  })
}

interface Sent {
  readonly hostname: string
  readonly port?: number
  readonly path: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: unknown
}

function send({ hostname, port, path, method, headers, body }: Sent): Promise<object> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ hostname, port, path, method, headers }, incoming =>
      resolve({ statusCode: incoming.statusCode, headers: incoming.headers, body: incoming }),
    )
    outgoing.on('error', reject).end(body as string | Uint8Array)
  })
}
