import { sseFramer, type Framer } from '../../../core/index.ts'

const blankLine = new TextEncoder().encode('\n\n')

/** Server-sent events whose last one may lack the blank line behind it, as Cerebras' does: it counts if it is whole. */
export function chatFramer(): Framer {
  const framer = sseFramer()
  return {
    feed: (chunk, push) => framer.feed(chunk, push),
    end: push =>
      framer.feed(blankLine, (data, event) => {
        if (isWhole(data)) push(data, event)
      }),
  }
}

function isWhole(data: string): boolean {
  try {
    JSON.parse(data)
    return true
  } catch {
    return data === '[DONE]'
  }
}
