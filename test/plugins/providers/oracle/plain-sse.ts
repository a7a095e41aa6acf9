/** The JSON payloads of a body of server-sent events, read whole and without regard to event names. What is not JSON is left out. */
export function plainSse(body: Uint8Array): unknown[] {
  const payloads: unknown[] = []
  for (const block of Buffer.from(body)
    .toString('utf8')
    .split(/\r?\n\r?\n/)) {
    const data = block
      .split(/\r?\n/)
      .filter(line => line.startsWith('data:'))
      .map(line => line.slice(5).replace(/^ /, ''))
      .join('\n')
    try {
      if (data) payloads.push(JSON.parse(data))
    } catch {
      // `[DONE]` and the like.
    }
  }
  return payloads
}
