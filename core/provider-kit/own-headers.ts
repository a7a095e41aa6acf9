import type { UpstreamRequest } from '../contracts/adapter.ts'

/** Adds the headers of the config, and that of the trace. Copies the headers once, because every request comes here. */
export function withOwnHeaders(
  request: UpstreamRequest,
  headers: Readonly<Record<string, string>> | undefined,
  traceparent: string | undefined,
): UpstreamRequest {
  if (traceparent !== undefined) return { ...request, headers: { ...request.headers, ...headers, traceparent } }
  return headers ? { ...request, headers: { ...request.headers, ...headers } } : request
}
