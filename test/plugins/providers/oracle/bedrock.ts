import { Readable } from 'node:stream'
import {
  BedrockRuntimeClient,
  BedrockRuntimeServiceException,
  ConverseCommand,
  ConverseStreamCommand,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime'
import { readChatChunks, readChatCompletion } from './chat.ts'
import { readConverse, readConverseEvents } from './bedrock-converse.ts'
import { object, string } from './json.ts'
import { readMessage, readMessageEvents } from './messages.ts'
import type { ErrorReading, Reading } from './reading.ts'
import type { ServedReply } from './vendor-server.ts'

const messages = [{ role: 'user' as const, content: [{ text: 'hi' }] }]
const modelId = 'any'

/** Reads a reply with the vendor's own SDK. The events are put together as the vendor documents them. */
export async function readBedrock(api: 'converse' | 'invoke', reply: ServedReply, stream: boolean): Promise<Reading> {
  const client = clientOf(reply)
  const said: unknown[] = []
  try {
    if (api === 'converse') {
      if (!stream) return readConverse(await client.send(new ConverseCommand({ modelId, messages })))
      for await (const event of (await client.send(new ConverseStreamCommand({ modelId, messages }))).stream!) said.push(event)
      return readConverseEvents(said)
    }
    if (!stream) return readBody(JSON.parse((await client.send(new InvokeModelCommand({ modelId, body: '{}' }))).body.transformToString()))
    const { body } = await client.send(new InvokeModelWithResponseStreamCommand({ modelId, body: '{}' }))
    for await (const { chunk } of body!) if (chunk?.bytes) said.push(JSON.parse(Buffer.from(chunk.bytes).toString('utf8')))
    return readEvents(said)
  } catch (error) {
    if (!(error instanceof BedrockRuntimeServiceException)) throw error
    return { ...(api === 'converse' ? readConverseEvents(said) : readEvents(said)), error: errorOf(error, reply) }
  }
}

/** Instead of a connection it has the reply. */
function clientOf({ status, headers, body }: ServedReply): BedrockRuntimeClient {
  const response = { statusCode: status, headers: { ...headers }, body: Readable.from([Buffer.from(body)]) }
  return new BedrockRuntimeClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'AKIADEMOORACLE', secretAccessKey: 'demo-oracle' },
    maxAttempts: 1,
    requestHandler: { handle: async () => ({ response: response as never }) },
  })
}

/** InvokeModel passes on what the model's maker says, and its shape tells the maker. */
function readBody(body: unknown): Reading {
  return object(body)['choices'] ? readChatCompletion(body) : readMessage(body)
}

function readEvents(events: readonly unknown[]): Reading {
  return object(events[0])['choices'] ? readChatChunks(events) : readMessageEvents(events)
}

/** The status of an exception inside a stream is the one that the service model gives it: the SDK tells it by its fault. */
function errorOf(error: BedrockRuntimeServiceException, { status, body }: ServedReply): ErrorReading {
  const name = string(error.name)
  const inside = status < 400
  return {
    status: inside ? (error.$fault === 'client' ? 400 : 500) : status,
    code: name,
    message: error.message,
    body: JSON.stringify({ name, message: error.message, ...(!inside && { body: Buffer.from(body).toString('utf8') }) }),
  }
}
