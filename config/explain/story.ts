import type { ShownRecord } from '../../core/contracts/record-fields.ts'
import { passedOver } from '../admin/passed-over.ts'
import { adviceOn, causeOf } from './advice.ts'
import { clean, dollars, duration, heading, section, shortened, widthBeside, wrapped } from './lines.ts'
import { waterfall } from './waterfall.ts'

/** A record as the admin API shows it. */
export type ExplainedRecord = ShownRecord

/** The longest list of candidates. A screen has few lines. */
const maxCandidates = 8
const maxNotes = 6

/** The whole story of a request in a screenful. `keyName`: the name of its key, if it still exists. No content. */
export function storyOf(record: ExplainedRecord, keyName: unknown, width: number): readonly string[] {
  const beside = widthBeside(width)
  return [
    ...headline(record, width),
    '',
    ...section('Asked', asked(record, keyName, beside)),
    ...section('Policy', policy(record, beside)),
    ...section('Plan', plan(record, beside)),
    ...section('Attempts', attempts(record, beside)),
    ...section('Notes', notes(record, beside)),
    ...section('Tokens', wrapped(tokens(record), beside)),
    ...section('Bill', wrapped(bill(record), beside)),
    ...failure(record, beside),
  ]
}

function headline(
  { id, method, path, surface, created_at: at, status, error_code: code, elapsed_ms: took, reason, first_event_ms: first }: ExplainedRecord,
  width: number,
): readonly string[] {
  const outcome = reason === null && status < 400 ? `answered with ${status}` : `failed with ${status}${code === null ? '' : ` ${code}`}`
  const times = `after ${duration(took)}${first === null ? '' : `, the first event after ${duration(first)}`}`
  return [
    heading(shortened(clean(`${id}  ${at}`), width)),
    ...wrapped(`${method} ${path}${surface === null ? '' : ` (${surface})`} ${outcome} ${times}.`, width),
  ]
}

function asked(record: ExplainedRecord, keyName: unknown, width: number): readonly string[] {
  const { kind, requested_model: model, stream, key, org, team, user, session, answer_id: answer } = record
  const named = typeof keyName === 'string' ? `${keyName} (${key})` : key
  const who = [
    key === null ? 'no known key' : `key ${named}`,
    ...(org === null ? [] : [`organization ${org}`]),
    ...(team === null ? [] : [`team ${team}`]),
    ...(user === null ? [] : [`user ${user}`]),
    ...(session === null ? [] : [`session ${session}`]),
  ]
  return [
    ...wrapped(
      `${model ?? 'no model'}${kind === null ? '' : `, ${kind}`}${stream ? ', streamed' : ''}${answer === null ? '' : `, answered as ${answer}`}`,
      width,
    ),
    ...wrapped(`by ${who.join(', ')}`, width),
  ]
}

function policy({ policy: values, policy_source: sources }: ExplainedRecord, width: number): readonly string[] {
  if (values === null) return ['unknown: no valid key']
  const fields = Object.entries(values).map(
    ([field, isOn]) => `${field} ${isOn ? 'on' : 'off'} (${sources?.[field as keyof typeof sources] ?? '?'})`,
  )
  return wrapped(fields.join(', '), width)
}

function plan({ routing, attempts: made }: ExplainedRecord, width: number): readonly string[] {
  if (routing === null) return [made.length > 0 ? 'one endpoint could answer' : 'none was made']
  const { sort, model_sort: modelSort, interval_ms: interval, preferred, candidates, passed_over: counts, warnings = [] } = routing
  const order = sort === null ? 'the order of the catalog' : `sorted by ${sort} over ${duration(interval)}`
  const models = modelSort === null || modelSort === sort ? '' : `, models by ${modelSort}`
  const shown = candidates.slice(0, maxCandidates).map(({ provider, model, value, passed_over: why }, index) => {
    const place = why === null ? `${index + 1}.` : '-'
    const note = why === null ? (value === null ? '' : `  ${value}`) : `  passed over: ${passedOver[why]}`
    return shortened(clean(`${place.padEnd(3)}${provider}/${model}${note}`), width)
  })
  const others = Object.entries(counts).map(([why, count]) => `${count} × ${passedOver[why as keyof typeof passedOver]}`)
  const isCut =
    candidates.length > maxCandidates ||
    Object.values(counts).reduce((sum, count) => sum + count, 0) > candidates.filter(({ passed_over: why }) => why !== null).length
  return [
    ...wrapped(`${order}${models}${preferred === null ? '' : `; first because of ${preferred}`}`, width),
    ...shown,
    ...(isCut && others.length > 0 ? wrapped(`passed over in all: ${others.join(', ')}`, width) : []),
    ...warnings.flatMap(warning => wrapped(warning, width)),
  ]
}

function attempts({ attempts: made, elapsed_ms: took, credit_wait_ms: waited }: ExplainedRecord, width: number): readonly string[] {
  const waiting = waited === null ? [] : wrapped(`waited ${duration(waited)} for credit that other requests held`, width)
  if (made.length === 0) return [...waiting, 'none']
  return [...waiting, ...waterfall(made, took, width)]
}

function notes({ notes: all }: ExplainedRecord, width: number): readonly string[] {
  const lines = all.slice(0, maxNotes).map(({ kind, summary }) => {
    const members = Object.entries(summary).map(
      ([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
    )
    return shortened(clean(`${kind}: ${members.join(', ')}`), width)
  })
  return all.length > maxNotes ? [...lines, `and ${all.length - maxNotes} more`] : lines
}

function tokens({ usage }: ExplainedRecord): string {
  if (usage === null) return 'none'
  const { input_tokens: input, cached_tokens: cached, output_tokens: output, reasoning_tokens: reasoning, estimated } = usage
  return `${input} in${cached > 0 ? ` (${cached} cached)` : ''}, ${output} out${reasoning > 0 ? ` (${reasoning} reasoning)` : ''}${estimated ? ', partly estimated' : ''}`
}

function bill({ cost_usd: cost, held_usd: held, usage }: ExplainedRecord): string {
  const charged = cost === null ? (usage === null ? 'nothing charged' : 'the price is unknown') : dollars(cost)
  return held === null ? charged : `${charged}, ${dollars(held)} were held`
}

function failure(record: ExplainedRecord, width: number): readonly string[] {
  const { status, reason, error_message: message, error_param: param, error_code: code } = record
  const { vendor_status: vendorStatus, vendor_code: vendorCode, vendor_request_id: vendorId } = record
  if (reason === null && status < 400) return []
  const vendor = [
    ...(vendorStatus === null ? [] : [`status ${vendorStatus}`]),
    ...(vendorCode === null ? [] : [`code ${vendorCode}`]),
    ...(vendorId === null ? [] : [`its id ${vendorId}`]),
  ]
  const told = message ?? (code === null ? undefined : 'not kept: logging is off for this request, and the message may quote it')
  return [
    '',
    ...section('Failed by', wrapped(causeOf(record), width)),
    ...section('Message', told === undefined ? [] : wrapped(told, width)),
    ...section('Parameter', param === null ? [] : wrapped(param, width)),
    ...section('Vendor', vendor.length === 0 ? [] : wrapped(vendor.join(', '), width)),
    ...section('To do', wrapped(adviceOn(record), width)),
  ]
}
