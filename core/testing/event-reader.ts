import type { JsonObject } from '../foundation/json.ts'
import { fail } from './shape.ts'

/** An event as a client parses it. */
export interface PublicEvent extends JsonObject {
  /** Such as `response.created`: docs/protocol/events.md. */
  readonly type: string
  /** From 0, one more with each event. */
  readonly sequence_number: number
}

const frame = /^event: ([^\n]+)\ndata: ([^\n]+)$/
const comment = /^:[^\n]*$/

/**
 * Reads a whole streamed body strictly: each frame is exactly one `event` and one `data` line, lines end in LF, and the payload's
 * `type` equals the event name. Comments are skipped. Throws a `ContractError`.
 */
export function readEvents(text: string): PublicEvent[] {
  if (text.includes('\r')) fail('the body contains a carriage return')
  if (text !== '' && !text.endsWith('\n\n')) fail(`the body ends inside a frame: ${JSON.stringify(text.slice(-80))}`)
  return text
    .split('\n\n')
    .slice(0, -1)
    .filter(block => !comment.test(block))
    .map((block, index) => readFrame(block, `frame ${index}`))
}

function readFrame(block: string, where: string): PublicEvent {
  const [, name, data] = frame.exec(block) ?? fail(`${where} is not "event: …" and "data: …": ${JSON.stringify(block.slice(0, 200))}`)
  if (data === '[DONE]') fail(`${where} is [DONE], which this protocol does not use`)
  const event = parse(data!, where)
  if (typeof event !== 'object' || event === null || !('type' in event)) fail(`${where} has no object with a type`)
  if (event.type !== name) fail(`${where} is named ${name}, but its data has the type ${event.type}`)
  return event as PublicEvent
}

function parse(data: string, where: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return fail(`${where} is not JSON: ${data.slice(0, 200)}`)
  }
}
