import type { ApiKey, KeyStore } from '../contracts/key-store.ts'
import type { Position } from '../contracts/page.ts'
import type { RecordStore } from '../contracts/record-store.ts'
import { nextTurn } from '../runtime/turns.ts'

/** Enough keys for a statement, and few enough that others have their turn. */
export const keysInPage = 500

/** All keys with a request from `since` to `until`, some at a time. Stores that can name them are not asked for all others. */
export async function* usedKeys(
  keys: KeyStore,
  records: RecordStore,
  since: number,
  until: number,
): AsyncGenerator<readonly ApiKey[], void, undefined> {
  if (records.usedKeys && keys.findAll) {
    for (let after: Position | undefined; ;) {
      const used = await records.usedKeys(since, { limit: keysInPage, after })
      if (used.length > 0) yield await keys.findAll(used.map(({ id }) => id))
      after = used.at(-1)
      // Keys that are used meanwhile come last, and could go on forever.
      if (!after || used.length < keysInPage || after.at > until) return
      await nextTurn()
    }
  }
  for await (const page of allKeys(keys)) {
    const uses = await records.keyUse(page.map(({ id }) => id))
    yield page.filter(({ id }) => (uses.get(id)?.lastUsedAt ?? -Infinity) >= since)
  }
}

/** All keys that are not hidden, the oldest first, some at a time. */
export async function* allKeys(
  keys: KeyStore,
  filter: Parameters<KeyStore['page']>[0] = {},
): AsyncGenerator<readonly ApiKey[], void, undefined> {
  for (let after: Position | undefined; ;) {
    const page = await keys.page(filter, { limit: keysInPage, after })
    yield page
    const last = page.at(-1)
    if (!last || page.length < keysInPage) return
    after = { at: last.createdAt, id: last.id }
    await nextTurn()
  }
}
