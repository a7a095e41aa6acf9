import type { Siblings } from '../../../core/kit.ts'
import { exposition, type Exposition } from './exposition.ts'
import type { Metric } from './metric.ts'

/** Names the question and the form of its answer: during a reload, workers of two versions may run. */
const question = 'telemetry/prometheus/1'

interface ScrapeParts {
  /** The metrics of this process. */
  readonly own: () => readonly Metric[]
  readonly siblings: Siblings
  /** How long siblings may take. */
  readonly withinMs: number
}

/** Collects the metrics of this process and of its siblings. */
export class Scrape {
  readonly #parts: ScrapeParts
  /** Those under way, by format: whoever asks meanwhile gets the same. */
  readonly #open = new Map<boolean, Promise<Exposition>>()

  constructor(parts: ScrapeParts) {
    this.#parts = parts
    parts.siblings.answer(question, () => JSON.stringify(parts.own()))
  }

  text(isOpenMetrics: boolean): Promise<Exposition> {
    const open = this.#open.get(isOpenMetrics)
    if (open) return open
    const begun = this.#collect(isOpenMetrics).finally(() => this.#open.delete(isOpenMetrics))
    this.#open.set(isOpenMetrics, begun)
    return begun
  }

  async #collect(isOpenMetrics: boolean): Promise<Exposition> {
    const { own, siblings } = this.#parts
    const metrics = siblings.worker === undefined ? own() : await this.#ofAll(siblings.worker)
    return await exposition(metrics, isOpenMetrics)
  }

  async #ofAll(worker: number): Promise<readonly Metric[]> {
    const { own, siblings, withinMs } = this.#parts
    const { answers, silent } = await siblings.ask(question, withinMs)
    const found = [
      { worker, metrics: own() },
      ...answers.map(({ worker, text }) => ({ worker, metrics: JSON.parse(text) as readonly Metric[] })),
    ]
    const all = new Map<string, Metric>()
    for (const { worker, metrics } of found.sort((one, other) => one.worker - other.worker))
      for (const metric of metrics) {
        const values = metric.values.map(sample => ({ ...sample, labels: { ...sample.labels, worker: String(worker) } }))
        all.set(metric.name, { ...metric, values: [...(all.get(metric.name)?.values ?? []), ...values] })
      }
    return [
      ...all.values(),
      machineGauge('turnpike_workers', 'Workers whose metrics are here.', found.length),
      machineGauge('turnpike_workers_unreachable', 'Workers that did not answer in time, so that their metrics are missing.', silent),
    ]
  }
}

function machineGauge(name: string, help: string, value: number): Metric {
  return { name, help, type: 'gauge', values: [{ labels: {}, value }] }
}
