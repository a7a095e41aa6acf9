import type { GatewayUnderTest } from '../../kit/gateway.ts'

// How the tests of stored responses talk to the gateway.

export interface Read {
  readonly status: number
  readonly requestId: string
  readonly headers: Headers
  readonly body: { readonly [member: string]: any }
}

export async function send(under: GatewayUnderTest, method: string, path: string, init: object = {}): Promise<Read> {
  const reply = await under.request(`/v1/responses${path}`, { method, ...init })
  const body = (await reply.json()) as Read['body']
  return { status: reply.status, requestId: reply.headers.get('x-request-id')!, headers: reply.headers, body }
}

export function read(under: GatewayUnderTest, path: string): Promise<Read> {
  return send(under, 'GET', path)
}

export const png = 'data:image/png;base64,iVBORw0KGgo='
