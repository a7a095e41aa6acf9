import { TextDecoder } from 'node:util'
import { createParser } from 'eventsource-parser'
import type { Framer } from '../contracts/adapter.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import { isJson } from '../foundation/json.ts'
import { own, wording } from '../foundation/wording.ts'

/** The limit for one event or line, in characters. */
const maxFrameLength = 8 * 1024 * 1024

const newline = 0x0a
const longChunkBytes = 4096

/**
 * Cuts bytes into server-sent events, synchronously. Skips comments, and accepts LF, CRLF and CR as line ends.
 * Some vendors leave out the blank line after the last event: at the end of the body it counts if its data is a whole JSON document.
 */
export function sseFramer(): Framer {
  const text = new TextDecoder()
  let deliver: (data: string, event?: string) => void
  const parser = createParser({
    maxBufferSize: maxFrameLength,
    onEvent: ({ data, event }) => deliver(data, event),
    onError: error => {
      if (error.type === 'max-buffer-size-exceeded') throw tooLong('an event')
    },
  })
  const feed = (decoded: string): void => parser.feed(decoded)
  return {
    feed(chunk, push) {
      deliver = push
      decode(chunk, text, feed)
    },
    end(push) {
      deliver = (data, event) => {
        if (isJson(data) || data === '[DONE]') push(data, event)
      }
      parser.feed('\n\n')
    },
  }
}

/** One JSON document per line. */
export function jsonLinesFramer(): Framer {
  const text = new TextDecoder()
  let rest = ''
  let deliver: (data: string) => void
  const feed = (decoded: string): void => {
    let start = 0
    // Only new text is searched and copied, so a long line in many chunks costs no more than its length.
    for (let end = decoded.indexOf('\n'); end >= 0; end = decoded.indexOf('\n', start)) {
      const line = rest + decoded.slice(start, end)
      rest = ''
      start = end + 1
      pushLine(line, deliver)
    }
    rest += decoded.slice(start)
    checkLength(rest)
  }
  return {
    feed(chunk, push) {
      deliver = push
      decode(chunk, text, feed)
    },
    end(push) {
      pushLine(rest + text.decode(), push)
    },
  }
}

/** Decodes an unfinished last line separately. As a slice of a longer string it would keep all of that string in memory until the rest arrives. */
function decode(chunk: Uint8Array, text: TextDecoder, feed: (decoded: string) => void): void {
  if (chunk.length < longChunkBytes) return feed(text.decode(chunk, { stream: true }))
  const end = chunk.lastIndexOf(newline) + 1
  if (end > 0) feed(text.decode(chunk.subarray(0, end), { stream: true }))
  if (end < chunk.length) feed(text.decode(chunk.subarray(end), { stream: true }))
}

function pushLine(line: string, push: (data: string) => void): void {
  checkLength(line)
  if (line.trim()) push(line)
}

function checkLength({ length }: string): void {
  if (length > maxFrameLength) throw tooLong('a line')
}

function tooLong(what: string): ProviderFailure {
  return new ProviderFailure({
    kind: 'protocol',
    message: wording`The provider sent ${own(what)} larger than ${own(maxFrameLength / 1024 / 1024)} MiB.`,
  })
}
