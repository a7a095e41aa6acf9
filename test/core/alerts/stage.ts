import { Announcer } from '../../../core/alerts/announcer.ts'
import type { StoredAlert } from '../../../core/stores.ts'
import { MemoryAlerts } from '../../../plugins/stores/memory/alerts.ts'
import { FakeClock } from '../../kit/set-up.ts'

export const minuteMs = 60_000
export const dayMs = 24 * 60 * minuteMs

/** A store that several gateways share, on a clock that a test moves. */
export class AlertStage {
  readonly clock = new FakeClock(Date.UTC(2026, 0, 15, 12))
  readonly store = new MemoryAlerts(this.clock)
  #made = 0

  /** That of one gateway. */
  announcer(): Announcer {
    return new Announcer(this.store, ['channel'], { make: prefix => `${prefix}_${String(++this.#made).padStart(6, '0')}` }, () => {})
  }

  /** The oldest first. */
  get alerts(): readonly StoredAlert[] {
    return this.store.page({}, { limit: 1_000 }).toReversed()
  }

  get titles(): readonly string[] {
    return this.alerts.map(({ title }) => title)
  }
}
