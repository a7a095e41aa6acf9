import type { AlertNote } from '../contracts/alert.ts'
import type { AlertThreshold } from '../contracts/alert-rules.ts'
import type { Catalog } from '../contracts/catalog.ts'
import type { RecordStore, UsageGroup, UsageRow } from '../contracts/record-store.ts'
import type { AlertDraft, Announcer } from './announcer.ts'
import { measuredIn, measuredTogether, type Measured } from './measured.ts'
import { canonicalOnly } from './only.ts'
import { providerNotes } from './provider-watch.ts'
import { stateIn } from './steady-state.ts'
import { durationText, percentText } from './words.ts'

export interface ThresholdParts {
  readonly announcer: Announcer
  readonly records: RecordStore
  readonly catalog: Pick<Catalog, 'endpoint'>
  readonly thresholds: readonly AlertThreshold[]
}

type Measure = 'errorShare' | 'p95Ms'

const prefix = 'threshold/'
const minuteMs = 60_000
/** It is over when the value is this far below the threshold, so that it does not come and go. */
const clearBelow = 0.8
/** How long the note of a threshold stays that no config has. */
const forgetAfterMs = 24 * 60 * minuteMs
/** The most models and providers that are measured. */
const maxRows = 1_000

const groups: Readonly<Record<AlertThreshold['of'], readonly UsageGroup[]>> = {
  gateway: ['provider'],
  providers: ['provider'],
  models: ['provider', 'model'],
}

/**
 * Tells when failures or latency are over a threshold, and when that is over. They come from the records, so they are those of all processes;
 * one process at a time looks.
 */
export class ThresholdWatch {
  readonly #parts: ThresholdParts

  constructor(parts: ThresholdParts) {
    this.#parts = parts
  }

  /** Call once a minute, in one of the processes. */
  async check(): Promise<void> {
    const { store } = this.#parts.announcer
    const notes = new Map((await store.notes(prefix)).map(note => [note.name, note]))
    const outages = await this.#outages()
    const wanted = new Set<string>()
    for (const threshold of this.#parts.thresholds) {
      const measured = await this.#measure(threshold)
      for (const measure of ['errorShare', 'p95Ms'] as const) {
        if (threshold[measure] === undefined) continue
        const start = startOf(threshold, measure)
        for (const each of measured) {
          const note = notes.get(`${start}${each.subject}`)
          if (note || measure === 'p95Ms' || !outages(each.subject, threshold.windowMinutes))
            await this.#compare(threshold, measure, each, note, start)
        }
        const subjects = new Set(measured.map(({ subject }) => `${start}${subject}`))
        for (const [name, note] of notes) {
          if (!name.startsWith(start)) continue
          wanted.add(name)
          // Nothing was asked of it at all.
          if (!subjects.has(name)) await this.#compare(threshold, measure, silent(name.slice(start.length)), note, start)
        }
      }
    }
    // Of thresholds that the config no longer has. Gateways with the earlier one may still run.
    const before = (await store.now()) - forgetAfterMs
    for (const [name, { version, value }] of notes)
      if (!wanted.has(name) && !(Number(value['at']) > before)) await store.change(name, version, undefined)
  }

  /** True for a provider that is down or was so in the window, and for its models: that was told already. */
  async #outages(): Promise<(subject: string, windowMinutes: number) => boolean> {
    const { store } = this.#parts.announcer
    const now = await store.now()
    const states = new Map((await store.notes(providerNotes)).map(({ name, value }) => [name.slice(providerNotes.length), stateIn(value)]))
    return (subject, windowMinutes) => {
      const provider = /^(?:provider:|model:)([^/]+)/.exec(subject)?.[1]
      const state = provider === undefined ? undefined : states.get(provider)
      return state !== undefined && (state.on || state.told || now - state.since < (windowMinutes + 1) * minuteMs)
    }
  }

  async #measure(threshold: AlertThreshold): Promise<readonly Measured[]> {
    const { announcer, catalog, records } = this.#parts
    const to = await announcer.store.now()
    const from = Math.floor(to / minuteMs) * minuteMs - threshold.windowMinutes * minuteMs
    const period = { from, to, bucket: 'total', limit: maxRows + 1 } as const
    const latency = threshold.p95Ms !== undefined
    const together = async (): Promise<readonly UsageRow[]> => (latency ? await records.usage({ ...period, groupBy: [], latency }) : [])
    // Callers can make up many names, so the largest come first.
    const rows = await records.usage({
      ...period,
      groupBy: groups[threshold.of],
      latency: latency && threshold.of !== 'gateway',
      top: maxRows,
    })
    if (threshold.of === 'gateway') return measuredTogether(rows, await together())
    return measuredIn(
      rows,
      { of: threshold.of, only: canonicalOnly(threshold, catalog) },
      (provider, model) => catalog.endpoint(provider, model) !== undefined,
    )
  }

  async #compare(
    threshold: AlertThreshold,
    measure: Measure,
    measured: Measured,
    note: AlertNote | undefined,
    start: string,
  ): Promise<void> {
    const limit = threshold[measure]!
    const value = valueOf(measure, measured)
    const isEnough = measured.count >= threshold.minRequests && value !== null
    const isOver = isEnough && value >= limit
    const isClear = !isEnough || value < limit * clearBelow
    if (note ? !isClear : !isOver) return
    const { announcer } = this.#parts
    const draft = draftOf(threshold, measure, measured, note)
    const raised = await announcer.drawUp(draft)
    const state = note ? undefined : { alert: raised.alert.id, at: raised.alert.at }
    if (await announcer.store.change(`${start}${measured.subject}`, note?.version, state, raised)) announcer.told()
  }
}

/** The beginning of the names of its notes. A threshold that changes is another one. */
function startOf(threshold: AlertThreshold, measure: Measure): string {
  const { of, only = [], minRequests, windowMinutes } = threshold
  return `${prefix}${[measure, of, threshold[measure], minRequests, windowMinutes, encodeURIComponent(only.join(','))].join('/')}/`
}

function silent(subject: string): Measured {
  return { subject, count: 0, failed: 0, p95Ms: null }
}

function valueOf(measure: Measure, { count, failed, p95Ms }: Measured): number | null {
  return measure === 'p95Ms' ? p95Ms : count > 0 ? failed / count : null
}

/** `note`: of the alert that is over. */
function draftOf(threshold: AlertThreshold, measure: Measure, measured: Measured, note: AlertNote | undefined): AlertDraft {
  const { subject, count, failed, p95Ms } = measured
  const { windowMinutes, minRequests } = threshold
  const name = subject === 'gateway' ? 'the gateway' : subject.replace(':', ' ')
  const window = `the last ${durationText(windowMinutes * minuteMs)}`
  const units = threshold.of === 'gateway' ? 'requests' : 'attempts'
  const value = valueOf(measure, measured)
  const limitText = measure === 'errorShare' ? percentText(threshold.errorShare!) : secondsText(threshold.p95Ms!)
  const numbers =
    value === null || count < minRequests
      ? `There were only ${count} ${units} in ${window}.`
      : measure === 'errorShare'
        ? `${failed} of ${count} ${units} in ${window} failed, which is ${percentText(value)}.`
        : `95% of the answers in ${window} took at most ${secondsText(value)}.`
  const what = measure === 'errorShare' ? 'Error rate' : 'Latency'
  return {
    kind: measure === 'errorShare' ? 'errors' : 'latency',
    subject,
    org: null,
    severity: note ? 'info' : measure === 'errorShare' ? 'critical' : 'warning',
    title: note ? `${what} of ${name} is normal again` : `${what} of ${name} is over ${limitText}`,
    message: note ? `${numbers} The threshold is ${limitText}.` : numbers,
    facts: {
      threshold: measure === 'errorShare' ? threshold.errorShare! : threshold.p95Ms!,
      ...(measure === 'errorShare' ? { share: value, failed } : { p95_ms: p95Ms }),
      [units]: count,
      window_minutes: windowMinutes,
    },
    resolves: note ? String(note.value['alert']) : null,
  }
}

function secondsText(ms: number): string {
  return `${Number((ms / 1000).toPrecision(3))} s`
}
