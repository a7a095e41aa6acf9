import { recordFields } from '../../fields.ts'
import type { Level } from '../../policy.ts'
import { hasFailedLater, type Attempt, type RequestRecord } from './record.ts'

/** The classes of failures. */
export const failureKinds = recordFields.reason.choices
export type FailureKind = (typeof failureKinds)[number]

export interface Failure {
  readonly kind: FailureKind
  /** Whose limit, cap, credit or lock it was. */
  readonly level: Level | undefined
  /** The last attempt that failed. */
  readonly attempt: Attempt | undefined
  readonly vendor: VendorFacts | undefined
}

/** What the vendor that failed last said. */
export interface VendorFacts {
  readonly provider: string
  readonly status: number | null
  readonly code: string | null
  readonly requestId: string | null
}

/** Why a request failed. Undefined if it did not. */
export function failureOf(record: RequestRecord): Failure | undefined {
  if (record.status < 400 && !hasFailedLater(record)) return undefined
  const attempt = record.attempts.findLast(({ outcome }) => outcome !== 'ok' && outcome !== 'left' && outcome !== 'outrun')
  const recorded = failureKinds.find(kind => kind === record.reason)
  const kind = recorded ?? kindOf(record, attempt)
  return { kind, level: levelOf(record, kind), attempt, vendor: vendorOf(record, attempt) }
}

const kindsOfStatus: Readonly<Record<number, FailureKind>> = {
  401: 'authentication',
  402: 'credit',
  403: 'permission',
  422: 'policy',
  424: 'vendor',
  429: 'limit',
  499: 'left',
  502: 'vendor',
  504: 'timeout',
  529: 'vendor',
}
const kindsOfCode: Readonly<Record<string, FailureKind>> = {
  insufficient_credits: 'credit',
  provider_timeout: 'timeout',
  server_error: 'gateway',
}

/** For records of versions that did not keep the class. */
function kindOf(record: RequestRecord, attempt: Attempt | undefined): FailureKind {
  const { status, error_code: code } = record
  if (hasFailedLater(record)) return kindsOfCode[code!] ?? 'vendor'
  if (status === 402 && shortLevel(record) !== 'credit') return 'cap'
  if (status === 429 && attempt?.outcome === 'rate-limit') return 'vendor'
  if (status === 503 && attempt) return 'vendor'
  return kindsOfStatus[status] ?? (status >= 500 ? 'gateway' : 'request')
}

const levels: readonly Level[] = ['org', 'team', 'user', 'key']

function levelOf(record: RequestRecord, kind: FailureKind): Level | undefined {
  const recorded = levels.find(level => level === record.reason_level)
  return recorded ?? (kind === 'credit' ? 'org' : kind === 'cap' ? levels.find(level => level === shortLevel(record)) : undefined)
}

/** The level whose cap was short, or `credit`, by the note that such a request has. */
function shortLevel({ notes }: RequestRecord): unknown {
  return notes.find(({ kind }) => kind === 'credit')?.summary['level']
}

function vendorOf(record: RequestRecord, attempt: Attempt | undefined): VendorFacts | undefined {
  const { vendor_status: status, vendor_code: code, vendor_request_id: requestId } = record
  const said = {
    status: status ?? attempt?.status ?? null,
    code: code ?? attempt?.vendor_code ?? null,
    requestId: requestId ?? attempt?.request_id ?? null,
  }
  if (!attempt || Object.values(said).every(each => each === null)) return undefined
  return { provider: attempt.provider, ...said }
}
