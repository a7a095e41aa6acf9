/** The largest reply of a server. */
const maxBytes = 8 * 1024 * 1024

/** A `fetch` that follows no redirects and stops reading after `maxBytes`. It calls `exceeded` when there is more. */
export function boundedFetch(exceeded: () => void): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const reply = await fetch(url, { ...init, redirect: 'error' })
    if (!reply.body) return reply
    let bytes = 0
    const counted = reply.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.byteLength
          if (bytes <= maxBytes) return controller.enqueue(chunk)
          controller.error(new Error(`the server sent more than ${maxBytes} bytes`))
          exceeded()
        },
      }),
    )
    return new Response(counted, { status: reply.status, statusText: reply.statusText, headers: reply.headers })
  }
}
