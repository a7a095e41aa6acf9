import type { RecordStore } from '../contracts/record-store.ts'

/** For gateways that keep no records. */
export const noRecords: RecordStore = {
  page: () => [],
  ranked: () => ({ records: [], searchedFrom: null }),
  find: () => undefined,
  content: () => undefined,
  eraseContent: () => undefined,
  usage: () => [],
  keyUse: () => new Map(),
  usedKeys: () => [],
}
