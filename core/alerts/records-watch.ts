import type { SinkState } from '../contracts/vitals.ts'
import type { Announcer } from './announcer.ts'

const hourMs = 60 * 60 * 1000

/** Since the start of this process. */
interface Lost {
  readonly records: number
  /** Of records that stayed. */
  readonly contents: number
}

/** Tells when a log sink loses records: at most once an hour for each sink, over all processes. */
export class RecordsWatch {
  readonly #announcer: Announcer
  readonly #sinks: () => readonly SinkState[]
  /** What was told, or was there when another process told of its own. */
  readonly #told = new Map<string, Lost>()

  constructor(announcer: Announcer, sinks: () => readonly SinkState[]) {
    this.#announcer = announcer
    this.#sinks = sinks
  }

  /** Call every few seconds. */
  async check(): Promise<void> {
    for (const { sink, dropped, failed, contentsDropped } of this.#sinks()) {
      const lost: Lost = { records: dropped + failed, contents: contentsDropped }
      const { records: told, contents: toldContents } = this.#told.get(sink) ?? { records: 0, contents: 0 }
      const [records, contents] = [lost.records - told, lost.contents - toldContents]
      if (records === 0 && contents === 0) continue
      const parts = [records > 0 ? `${records} records` : '', contents > 0 ? `the content of ${contents} records` : '']
      const isTold = await this.#announcer.tell(
        {
          kind: 'records',
          subject: `sink:${sink}`,
          org: null,
          severity: 'critical',
          title: `Log sink ${sink} loses records`,
          message: `It could not keep up, or failed, so a gateway dropped ${parts.filter(part => part !== '').join(' and ')}. They are missing there and, if it is the record store, in charts and costs.`,
          facts: { sink, records, contents },
        },
        [{ name: `records/${sink}`, forMs: hourMs }],
      )
      // Otherwise they are told an hour later, with those that follow.
      if (isTold) this.#told.set(sink, lost)
    }
  }
}
