import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ListOf } from '../../api.ts'
import { Code } from '../../components/copy.ts'
import { Facts, type Fact } from '../../components/facts.ts'
import { Badge, Empty, Loading, Problem, Stat } from '../../components/feedback.ts'
import { Button, Page, Panel } from '../../components/page.ts'
import { Table } from '../../components/table.ts'
import { Time } from '../../components/time.ts'
import { useData } from '../../data.ts'
import { endpointName } from '../../endpoint-name.ts'
import { fieldsOf, recordFields, shownName } from '../../fields.ts'
import { count, duration, usd, words } from '../../format.ts'
import { html } from '../../html.ts'
import { hrefOf } from '../../place.ts'
import { policyFields, policyTexts, type PolicyField } from '../../policy.ts'
import { Content } from './content.ts'
import { FailurePanel } from './failure-panel.ts'
import { recordStatus } from './reasons.ts'
import { hasFailedLater, type RequestRecord, type Usage } from './record.ts'
import { RoutingTable } from './routing-table.ts'
import { Waterfall } from './waterfall.ts'

/** Records are written a moment after the reply, so one may be asked for too early. */
const soonMs = 5_000
const againMs = 1_000
const laterMs = 5_000

/** One request: what happened, why, and what it cost. `back`: the list from which it was opened. */
export function RecordPage({ id, back }: { readonly id: string; readonly back: string }): VNode {
  const [isSoon, setSoon] = useState(true)
  const [isFound, setFound] = useState(false)
  // The list, because one that is not there yet is no error in it.
  const { data, error, reload } = useData<ListOf<RequestRecord>>(
    '/records',
    { id },
    { pollMs: isFound ? undefined : isSoon ? againMs : laterMs },
  )
  const record = data?.data[0]
  useEffect(() => {
    const timer = setTimeout(() => setSoon(false), soonMs)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    if (record) setFound(true)
  }, [record])
  return html`<${Page} title="Request" above=${{ title: 'Logs', href: back }} intro=${record && intro(record)}>
    ${error && html`<${Problem} error=${error} retry=${reload} />`}
    ${
      data &&
      !record &&
      !error &&
      html`<${Panel}>
        <${Empty} title=${`No record has the id “${id}”`} action=${html`<${Button} href=${back}>Go to the logs<//>`}>
          A new record appears here a second or two after its reply.
        <//>
      <//>`
    }
    ${!data && !error && html`<${Loading} label="Loading the record" />`} ${record && body(record)}
  <//>`
}

function intro({ method, path, created_at: at }: RequestRecord): VNode {
  return html`<code>${method} ${path}</code>, <${Time} at=${at} /> (<${Time} at=${at} relative />)`
}

function body(record: RequestRecord): VNode {
  const { status, elapsed_ms: elapsedMs, usage, cost_usd: cost, held_usd: held, attempts, routing } = record
  const heldNote = held === null ? undefined : `of ${usd(held)} held`
  return html`<div class="stack">
    <div class="stats">
      <${Stat}
        label="Status"
        value=${recordStatus(record)}
        note=${record.error_code}
        tone=${status < 400 && !hasFailedLater(record) ? 'good' : 'bad'}
      />
      <${Stat} label="Duration" value=${duration(elapsedMs)} note=${durationNote(record)} />
      <${Stat}
        label="Tokens"
        value=${usage ? count(usage.input_tokens + usage.output_tokens) : count(null)}
        note=${usage && `${count(usage.input_tokens)} in, ${count(usage.output_tokens)} out`}
      />
      <${Stat} label="Cost" value=${usd(cost)} note=${cost === null && usage ? 'the price is unknown' : heldNote} />
    </div>
    <${FailurePanel} record=${record} />
    <${Panel} title=${attemptsTitle(attempts.length)}><${Waterfall} record=${record} /><//>
    <${Panel} title="Request"><${Facts} facts=${facts(record)} /><//>
    <${Panel} title="Routing">
      ${routing ? html`<${RoutingTable} routing=${routing} />` : html`<p class="muted">Only one endpoint could answer, or none.</p>`}
    <//>
    <div class="columns">
      <${Panel} title="Policy">${policy(record)}<//>
      <${Panel} title="Usage">
        ${usage ? html`<${Facts} all facts=${usageFacts(usage)} />` : html`<p class="muted">No tokens were counted.</p>`}
      <//>
    </div>
    ${record.notes.length > 0 && html`<${Panel} title="Notes">${notes(record)}<//>`}
    <${Content} key=${record.id} record=${record} />
  </div>`
}

function attemptsTitle(number: number): string {
  return number === 0 ? 'No provider was tried' : number === 1 ? '1 attempt' : `${number} attempts`
}

function durationNote({ stream, first_event_ms: firstMs }: RequestRecord): string {
  const kind = stream ? 'streamed' : 'not streamed'
  return firstMs === null || firstMs === undefined ? kind : `${kind}, first event after ${duration(firstMs)}`
}

function facts(record: RequestRecord): readonly Fact[] {
  const { id, answer_id: answerId, key, org, team, user, requested_model: requested, model, provider } = record
  return [
    ['Request id', html`<${Code} text=${id} what="request id" />`],
    [answerId?.startsWith('dec_') ? 'Decision id' : 'Response id', answerId && html`<${Code} text=${answerId} what="id" />`],
    ['Key', key && html`<a href=${hrefOf('keys', { id: key })}>${key}</a>`],
    ['Organization', org],
    ['Team', team],
    ['User', user],
    ['Requested model', requested],
    [record.status >= 400 ? 'Asked last' : 'Answered by', model !== null && provider !== null ? endpointName(provider, model) : null],
    ['Session', record.session && session(record.session)],
    ...otherFacts(record),
  ]
}

/** With the ways to its other requests, and to what it cost. */
function session(id: string): VNode {
  return html`<span class="row">
    <${Code} text=${id} what="session" />
    <a href=${hrefOf('logs', { session: id })}>Requests</a>
    <a href=${hrefOf('', { session: id, range: '30d' })}>Cost</a>
  </span>`
}

/** The fields that the page shows elsewhere. */
const placed: readonly string[] = [
  'id',
  'answerId',
  'at',
  'method',
  'path',
  'status',
  'elapsedMs',
  'keyId',
  'org',
  'team',
  'user',
  'stream',
  'requestedModel',
  'model',
  'provider',
  'attempts',
  'routing',
  'usage',
  'costUsd',
  'heldUsd',
  'errorCode',
  'errorMessage',
  'errorParam',
  'reason',
  'reasonLevel',
  'firstEventMs',
  'creditWaitMs',
  'vendorStatus',
  'vendorCode',
  'vendorRequestId',
  'policy',
  'policySource',
  'session',
  'notes',
]

function otherFacts(record: RequestRecord): readonly Fact[] {
  const others = fieldsOf(recordFields, (_, name) => !placed.includes(name))
  return Object.entries(others).flatMap(([name, field]) => {
    const shown = shownName(name, field)
    const value: unknown = shown === null ? null : record[shown as keyof RequestRecord]
    return value === null ? [] : [[words(name), plain(value)]]
  })
}

type PolicyRow = readonly [field: PolicyField, value: boolean, source: string]

function policy({ policy: values, policy_source: sources }: RequestRecord): VNode {
  if (!values) return html`<p class="muted">No key was known, so there was no policy.</p>`
  const rows = policyFields.map((field): PolicyRow => [field, values[field] ?? false, sources?.[field] ?? ''])
  return html`<${Table}
    label="Rules"
    rows=${rows}
    rowKey=${([field]: PolicyRow) => field}
    columns=${[
      { head: 'Rule', cell: ([field]: PolicyRow) => policyTexts[field].name },
      { head: 'Value', cell: ([, value]: PolicyRow) => html`<${Badge} tone=${value ? 'accent' : 'neutral'}>${value ? 'on' : 'off'}<//>` },
      { head: 'Set by', cell: ([, , source]: PolicyRow) => source },
    ]}
  />`
}

function usageFacts(usage: Usage): readonly Fact[] {
  return [
    ['Input', count(usage.input_tokens)],
    ['Of that, from the cache', count(usage.cached_tokens)],
    ['Of that, written to the cache', count(usage.cache_write_5m_tokens + usage.cache_write_1h_tokens)],
    ['Output', count(usage.output_tokens)],
    ['Of that, reasoning', count(usage.reasoning_tokens)],
    ['Counted by', usage.estimated ? 'the gateway' : 'the provider'],
  ]
}

/** The notes of plugins, such as a guardrail that refused the request. Never content. */
function notes({ notes: all }: RequestRecord): readonly VNode[] {
  return all.map(
    ({ kind, summary }, index) =>
      html`<div key=${index}>
        <h3>${kind}</h3>
        <${Facts} all facts=${Object.entries(summary).map(([name, value]): Fact => [name, plain(value)])} />
      </div>`,
  )
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join(', ')
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([name, each]) => `${name}: ${plain(each)}`)
      .join(', ')
  return String(value)
}
