import type { Replica } from './replica.ts'

/** How a request ended for its client. */
export interface Reply {
  /** 0: the connection broke before the end. */
  readonly status: number
  /** In its record. Undefined if no head came. */
  readonly requestId: string | undefined
  /** Of the response. */
  readonly id: string | undefined
  /** `x-ratelimit-remaining-requests`. */
  readonly left: number | undefined
  readonly text: string
  readonly ms: number
}

/** Asks a replica. `label` is what the vendor counts by. */
export async function ask(replica: Pick<Replica, 'url'>, key: string, label: string, body: object = {}): Promise<Reply> {
  const startedAt = performance.now()
  let status = 0
  let requestId: string | undefined
  let left: number | undefined
  let text = ''
  try {
    const reply = await fetch(`${replica.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'acme/acme-large', input: `${label}: why?`, max_output_tokens: 100, ...body }),
    })
    requestId = reply.headers.get('x-request-id') ?? undefined
    const header = reply.headers.get('x-ratelimit-remaining-requests')
    left = header === null ? undefined : Number(header)
    text = await reply.text()
    status = reply.status
  } catch {
    // The replica was killed, or has reset the connection.
  }
  const [, id] = /"id":\s*"(resp_[^"]+)"/.exec(text) ?? []
  return { status, requestId, id, left, text, ms: performance.now() - startedAt }
}
