import type { AlertStore } from '../contracts/alert.ts'

/** For gateways without a store of alerts. Nobody is told anything. */
export const noAlerts: AlertStore = {
  now: () => Date.now(),
  raise: () => false,
  notes: () => [],
  change: () => false,
  take: () => [],
  putOff: () => {},
  page: () => [],
  find: () => undefined,
  acknowledge: () => false,
  silences: () => [],
  addSilence: silence => ({ ...silence, at: Date.now() }),
  removeSilence: () => false,
  expire: () => {},
}
