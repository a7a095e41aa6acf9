import type { DecisionClient } from '../../../core/index.ts'
import {
  wholeReply,
  type ApiKeys,
  type DecisionCall,
  type DecisionReply,
  type HttpClient,
  type UpstreamHeaders,
} from '../../../core/kit.ts'
import { failureOf } from './failure.ts'
import { versionsOf, type DmModels } from './models.ts'
import { replyOf } from './reply.ts'
import type { RequestLimit } from './request-limit.ts'

export interface DmOptions extends DmModels {
  readonly baseUrl: string
  readonly keys: ApiKeys
  readonly timeoutMs: number
  readonly limit: RequestLimit
  readonly http: HttpClient
}

const maxReplyBytes = 16 * 1024 * 1024

/** The vendor's API: docs/protocol/decisions.md#the-vendors-wires. */
export function dmClient(options: DmOptions): DecisionClient {
  const { vendor, baseUrl, keys, timeoutMs, aliases, limit, http } = options
  const versions = new Set(versionsOf(options))
  const aliased = new Map(Object.entries(aliases))
  const url = systemOne(baseUrl)
  return {
    provider: vendor,
    ...(keys.credentials && { credentials: keys.credentials }),
    timeoutMs,
    resolve: name => (versions.has(name) ? name : aliased.get(name)),
    async decide(call): Promise<DecisionReply> {
      const { request, credentialId, signal, traceparent } = call
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json',
        authorization: `Bearer ${keys.secret(credentialId)}`,
        ...(traceparent !== undefined && { traceparent }),
      }
      await limit.take(signal)
      const sent = { method: 'POST', url, headers, body: JSON.stringify(request) } as const
      const reply = await wholeReply(http, sent, { signal, maxBytes: maxReplyBytes })
      noteRequestId(reply.headers, call)
      if (reply.status !== 200) throw failureOf(reply.status, reply.headers, reply.text)
      return replyOf(reply.text)
    },
  }
}

function systemOne(baseUrl: string): string {
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/systemone`
  return url.href
}

const requestIdHeaders = ['x-request-id', 'request-id', 'x-amzn-requestid', 'x-correlation-id']

/** Puts the vendor's request id into the record. The caller does not get it. */
function noteRequestId(headers: UpstreamHeaders, { context }: DecisionCall): void {
  const id = requestIdHeaders.map(name => headers[name]).find(value => value !== undefined)
  if (id !== undefined && /^[\w.:/+=-]{1,128}$/.test(id)) context.note('vendor-request', { id })
}
