import type { JsonObject } from '../../../core/index.ts'
import type { Alert } from '../../../core/admin.ts'
import { alertKinds, type AlertDigest, type AlertSeverity, type FilledLimit } from '../../../core/stores.ts'

/** What a message says, before it is written in a format. */
export interface Notice {
  /** Such as `alert.cap`. */
  readonly type: string
  readonly severity: AlertSeverity
  /** The severity in a word, or that something is over. */
  readonly word: string
  readonly title: string
  readonly message: string
  /** Names and values for people. */
  readonly facts: readonly (readonly [name: string, value: string])[]
  readonly at: number
  /** For programs. */
  readonly data: JsonObject
}

const maxFacts = 10
const words: Readonly<Record<AlertSeverity, string>> = { info: 'Info', warning: 'Warning', critical: 'Critical' }

const counted = 'are counted, and come as one digest.'
/** Each says which alerts have to wait for the rest of the hour, and which still come. */
const limits: Readonly<Record<FilledLimit, string>> = {
  target: `This was the last message for now: the limit of an hour is reached. Further alerts ${counted}`,
  organizations: `This was the last message for now that left room for alerts of organizations. Further ones of them ${counted} Alerts of the gateway still come.`,
  organization: `This was the last message for now about this organization, which leaves the room of the hour to others. Further alerts of it ${counted} All others still come.`,
}

/** `fills`: the limit that is reached with it. */
export function alertNotice(alert: Alert, fills: FilledLimit | null): Notice {
  const { id, kind, subject, org, severity, title, message, facts, resolves, at } = alert
  return {
    type: typeOf(kind),
    severity,
    word: resolves === null ? words[severity] : 'Resolved',
    title,
    message: fills ? `${message} ${limits[fills]}` : message,
    facts: [...(org === null ? [] : [['Organization', org] as const]), ...shownFacts(facts)].slice(0, maxFacts),
    at,
    data: { id, kind, subject, org, severity, title, message, facts, resolves, fills_limit: fills !== null, filled_limit: fills },
  }
}

export function digestNotice({ from, to, counts }: AlertDigest, at: number): Notice {
  const entries = alertKinds.flatMap(kind => (counts[kind] ? [[kind, counts[kind]] as const] : []))
  const total = entries.reduce((sum, [, count]) => sum + count, 0)
  const [first, last] = [from, to].map(time => new Date(time).toISOString())
  const title = total === 1 ? '1 more alert was left out' : `${total} more alerts were left out`
  const message = `They were raised from ${first} to ${last}, after the limit for an hour was reached. The gateway lists all of them.`
  return {
    type: typeOf('digest'),
    severity: 'warning',
    word: words.warning,
    title,
    message,
    facts: entries.map(([kind, count]) => [kind, String(count)]),
    at,
    data: { kind: 'digest', severity: 'warning', title, message, from: first, to: last, total, counts: Object.fromEntries(entries) },
  }
}

/** `name`: of the target. */
export function testNotice(name: string, org: string | null, at: number): Notice {
  const title = 'This is a test'
  const message = `The gateway can send alerts to "${name}". Nothing is wrong.`
  return {
    type: typeOf('test'),
    severity: 'info',
    word: words.info,
    title,
    message,
    facts: [],
    at,
    data: { kind: 'test', org, severity: 'info', title, message },
  }
}

/** Standard Webhooks allows letters, digits, `_` and `.` in a type. */
function typeOf(kind: string): string {
  return `alert.${kind.replaceAll('-', '_')}`
}

function shownFacts(facts: JsonObject): readonly (readonly [string, string])[] {
  return Object.entries(facts).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [[shownName(name), shownValue(value)]],
  )
}

function shownName(name: string): string {
  const spaced = name.replace(/_usd$/, ' (USD)').replaceAll('_', ' ')
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

function shownValue(value: unknown): string {
  if (typeof value === 'number') return String(Number(value.toPrecision(6)))
  return typeof value === 'string' ? value : Array.isArray(value) ? value.map(shownValue).join(', ') : JSON.stringify(value)
}
