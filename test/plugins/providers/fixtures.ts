import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GenerationEvent, JsonObject } from '../../../core/index.ts'
import type { UpstreamRequestBody } from '../../../core/kit.ts'
import type { ProviderExample } from '../../../core/testing/index.ts'

/** A request, and the body that is sent to the vendor. */
export interface RequestFixture {
  readonly name: string
  readonly request: UpstreamRequestBody
  readonly sent: JsonObject
  readonly warnings?: readonly string[]
  /** Only the vendor's beta API knows the request. */
  readonly beta?: boolean
}

/** A vendor's answer as its own events and as a whole reply, and the gateway's events for it. */
export interface ReplyFixture<Event> {
  readonly name: string
  readonly request: UpstreamRequestBody
  readonly stream: readonly Event[]
  readonly streamed: readonly GenerationEvent[]
  readonly reply?: JsonObject
  readonly whole?: readonly GenerationEvent[]
  readonly beta?: boolean
}

/** The fixtures of a vendor, and all of them as examples for the suite of every provider. `bodyOf`: its events as bytes. */
export function fixtures<Event>(vendor: string, bodyOf: (stream: readonly Event[]) => string | Uint8Array) {
  const requests = read<RequestFixture>(join(vendor, 'requests'))
  const replies = read<ReplyFixture<Event>>(join(vendor, 'replies'))
  const examples: readonly ProviderExample[] = [
    ...requests,
    ...replies.map(({ name, request, stream, streamed, reply, whole }) => ({
      name,
      request,
      stream: { body: bodyOf(stream), events: streamed },
      ...(reply && whole && { reply: { body: reply, events: whole } }),
    })),
  ]
  return { requests, replies, examples }
}

function read<T>(folder: string): readonly T[] {
  const path = join(import.meta.dirname, '../../fixtures', folder)
  return readdirSync(path).map(file => ({ name: file.replace('.json', ''), ...JSON.parse(readFileSync(join(path, file), 'utf8')) }) as T)
}
