import { createParser } from 'eventsource-parser'
import type { Framer } from '../contracts/adapter.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import { isJson } from '../json.ts'

const maximumFrameBytes = 32 * 1024 * 1024

/**
 * Server-sent events from bytes, synchronously. Comments are skipped, and line ends may be LF, CRLF or CR.
 * Some vendors leave out the blank line behind the last event: at the end of the body it counts if its data is a whole JSON document.
 */
export function sseFramer(): Framer {
  const text = new TextDecoder()
  let deliver: (data: string, event?: string) => void
  const parser = createParser({
    maxBufferSize: maximumFrameBytes,
    onEvent: ({ data, event }) => deliver(data, event),
    onError: error => {
      if (error.type === 'max-buffer-size-exceeded')
        throw new ProviderFailure({ kind: 'protocol', message: 'The provider sent an event larger than 32 MiB.' })
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

/** A JSON document a line. */
export function jsonLinesFramer(): Framer {
  const text = new TextDecoder()
  let rest = ''
  return {
    feed(chunk, push) {
      const lines = (rest + text.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop()!
      if (rest.length > maximumFrameBytes)
        throw new ProviderFailure({ kind: 'protocol', message: 'The provider sent a line larger than 32 MiB.' })
      for (const line of lines) if (line.trim()) push(line)
    },
    end(push) {
      const last = rest + text.decode()
      if (last.trim()) push(last)
    },
  }
}
