import { createParser } from 'eventsource-parser'
import type { Framer } from '../contracts/adapter.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import { isJson } from '../foundation/json.ts'

/** The limit for one event or line, in characters. */
const maximumFrameLength = 8 * 1024 * 1024

/**
 * Cuts bytes into server-sent events, synchronously. Skips comments, and accepts LF, CRLF and CR as line ends.
 * Some vendors leave out the blank line after the last event: at the end of the body it counts if its data is a whole JSON document.
 */
export function sseFramer(): Framer {
  const text = new TextDecoder()
  let deliver: (data: string, event?: string) => void
  const parser = createParser({
    maxBufferSize: maximumFrameLength,
    onEvent: ({ data, event }) => deliver(data, event),
    onError: error => {
      if (error.type === 'max-buffer-size-exceeded') throw tooLong('an event')
    },
  })
  return {
    feed(chunk, push) {
      deliver = push
      parser.feed(text.decode(chunk, { stream: true }))
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
  return {
    feed(chunk, push) {
      const decoded = text.decode(chunk, { stream: true })
      let start = 0
      // Only new text is searched and copied, so a long line in many chunks costs no more than its length.
      for (let end = decoded.indexOf('\n'); end >= 0; end = decoded.indexOf('\n', start)) {
        const line = rest + decoded.slice(start, end)
        rest = ''
        start = end + 1
        pushLine(line, push)
      }
      rest += decoded.slice(start)
      checkLength(rest)
    },
    end(push) {
      pushLine(rest + text.decode(), push)
    },
  }
}

function pushLine(line: string, push: (data: string) => void): void {
  checkLength(line)
  if (line.trim()) push(line)
}

function checkLength({ length }: string): void {
  if (length > maximumFrameLength) throw tooLong('a line')
}

function tooLong(what: string): ProviderFailure {
  return new ProviderFailure({
    kind: 'protocol',
    message: `The provider sent ${what} larger than ${maximumFrameLength / 1024 / 1024} MiB.`,
  })
}
