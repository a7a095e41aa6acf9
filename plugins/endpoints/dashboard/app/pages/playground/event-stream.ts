/** One event of a stream. */
export interface StreamEvent {
  readonly type: string
  readonly [member: string]: unknown
}

/** Reads the events of `POST /v1/responses` with `stream: true`. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      text += done ? decoder.decode() : decoder.decode(value, { stream: true })
      const frames = text.split('\n\n')
      text = frames.pop()!
      for (const frame of frames) {
        const event = eventIn(frame)
        if (event) yield event
      }
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** Comments, which keep the connection open, are no events. */
function eventIn(frame: string): StreamEvent | undefined {
  const data = frame
    .split('\n')
    .filter(line => line.startsWith('data:'))
    .map(line => line.slice(5).trimStart())
    .join('\n')
  return data === '' || data === '[DONE]' ? undefined : (JSON.parse(data) as StreamEvent)
}
