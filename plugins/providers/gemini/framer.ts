import { sseFramer, type Framer } from '../../../core/kit.ts'
import { jsonDocumentFramer } from './json-documents.ts'

/**
 * Server-sent events, and what the vendor sends instead: one JSON array of the same responses, if a proxy drops `alt=sse`, or a bare
 * error after the events. A line that starts with an object or a list is neither an event nor a comment.
 */
export function geminiFramer(): Framer {
  const events = sseFramer()
  let documents: Framer | undefined
  let atLineStart = true
  return {
    feed(chunk, push) {
      const from = documents ? 0 : documentStart(chunk, atLineStart)
      if (from !== 0 && !documents) events.feed(from < 0 ? chunk : chunk.subarray(0, from), push)
      if (from >= 0) {
        documents ??= jsonDocumentFramer()
        documents.feed(from === 0 ? chunk : chunk.subarray(from), push)
      }
      if (chunk.length > 0) atLineStart = chunk[chunk.length - 1] === lineFeed
    },
    end(push) {
      // The last event may lack its blank line. The decoder reports an incomplete one.
      events.feed(Buffer.from('\n\n'), push)
    },
  }
}

const lineFeed = 10
const carriageReturn = 13
const openBrace = 123
const openBracket = 91

/** The start of the first line that begins with a JSON object or list, or -1. */
function documentStart(chunk: Uint8Array, atLineStart: boolean): number {
  let start = atLineStart ? 0 : lineAfter(chunk, 0)
  while (start < chunk.length) {
    const first = chunk[start]
    if (first === openBrace || first === openBracket) return start
    // Every other line is empty, and looking at it is cheaper than searching.
    if (first === lineFeed) start += 1
    else if (first === carriageReturn && chunk[start + 1] === lineFeed) start += 2
    else start = lineAfter(chunk, start)
  }
  return -1
}

/** The start of the next line, or the end of the chunk. */
function lineAfter(chunk: Uint8Array, from: number): number {
  const end = chunk.indexOf(lineFeed, from)
  return end < 0 ? chunk.length : end + 1
}
