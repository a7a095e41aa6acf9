import { foreignToolTypes } from '../../../../core/contracts/tools.ts'
import type { JsonObject } from '../../../../core/index.ts'
import { list, object, string } from '../oracle/json.ts'
import type { OracleReading } from '../oracle/oracle.ts'
import { recordedRequest, type Recording } from '../../../kit/recordings.ts'

/** A plain question to the gateway, with tools by which everything in the recorded answer is legal. */
export function requestFor(recording: Recording, model: string, { toolCalls }: OracleReading): JsonObject {
  const asked = list(object(recordedRequest(recording))['tools']).map(tool => string(object(tool)['type']))
  const called = new Map(toolCalls.map(({ name, custom }) => [name, custom]))
  const tools: JsonObject[] = [
    ...Array.from(called, ([name, custom]) =>
      custom ? { type: 'custom', name } : { type: 'function', name, parameters: { type: 'object' } },
    ),
    ...(asked.some(type => type.startsWith('web_search')) ? [{ type: 'web_search' }] : []),
    ...foreignToolTypes.filter(type => asked.includes(type)).map(type => ({ type })),
  ]
  return { model, input: 'hi', stream: recording.mode === 'stream', ...(tools.length > 0 && { tools }) }
}

/** Why the gateway could not have made the request to which this is the answer; undefined where it could. */
export function unaskable({ toolCalls }: OracleReading): string | undefined {
  const unnameable = toolCalls.find(({ name }) => !/^[a-zA-Z0-9_-]{1,128}$/.test(name))
  return unnameable && `the call is of a tool named ${JSON.stringify(unnameable.name)}, which no request can declare`
}
