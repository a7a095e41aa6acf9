import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http'

type Headers = OutgoingHttpHeaders | readonly OutgoingHttpHeader[]

/** Calls `known` with the id that the reply gives the request, when its head is written. */
export function whenIdKnown(response: ServerResponse, known: (id: string) => void): void {
  const writeHead = response.writeHead.bind(response) as (...given: readonly unknown[]) => ServerResponse
  const told = (...given: readonly unknown[]): ServerResponse => {
    const id = idIn(given.at(-1) as Headers | undefined) ?? response.getHeader('x-request-id')
    if (typeof id === 'string') known(id)
    return writeHead(...given)
  }
  response.writeHead = told as typeof response.writeHead
}

function idIn(headers: Headers | undefined): unknown {
  if (typeof headers !== 'object') return undefined
  if (!Array.isArray(headers)) return (headers as OutgoingHttpHeaders)['x-request-id']
  const index = headers.indexOf('x-request-id')
  return index < 0 ? undefined : (headers[index + 1] as unknown)
}
