import type { CompiledQuery, Kysely } from 'kysely'
import { isObject } from '../../../core/index.ts'
import type { EventChunk } from '../../../core/stores.ts'
import type { SealedParts } from './sealed-parts.ts'
import type { BackgroundEventTable, BackgroundTable, Tables } from './tables.ts'

export type BackgroundRow = Pick<BackgroundTable, 'owner' | 'id' | 'org'>

/** Readers get so many chunks at a time. */
const chunksAtOnce = 8

/** Each chunk is sealed for its place, so that chunks cannot change places. */
function placeOf(owner: string, id: string, part: number): Parameters<SealedParts['seal']>[1] {
  return { owner, id: `${id}#${part}`, part: 'background-events' }
}

export async function sealedChunks(
  parts: SealedParts,
  { owner, id, org }: BackgroundRow,
  chunks: readonly EventChunk[],
): Promise<readonly BackgroundEventTable[]> {
  const rows: BackgroundEventTable[] = []
  for (const { part, first, last, text } of chunks)
    rows.push({ owner, response_id: id, part, first, last, events: await parts.seal(org, placeOf(owner, id, part), { text }) })
  return rows
}

/** A chunk that is there already stays. */
export function insertionOf(transaction: Kysely<Tables>, chunk: BackgroundEventTable): CompiledQuery {
  return transaction
    .insertInto('background_event')
    .values(chunk)
    .onConflict(conflict => conflict.doNothing())
    .compile()
}

/** Undefined if one of them was changed, or its key is lost. */
export async function readChunks(
  reader: Kysely<Tables>,
  parts: SealedParts,
  from: { readonly owner: string; readonly id: string; readonly part: number; readonly sequence: number },
): Promise<readonly EventChunk[] | undefined> {
  const rows = await reader
    .selectFrom('background_event')
    .innerJoin('background', join =>
      join.onRef('background.owner', '=', 'background_event.owner').onRef('background.id', '=', 'response_id'),
    )
    .select(['background.org', 'part', 'first', 'last', 'events'])
    .where('background_event.owner', '=', from.owner)
    .where('response_id', '=', from.id)
    .where('part', '>=', from.part)
    .whereRef('part', '<', 'background.parts')
    .where('last', '>', from.sequence)
    .orderBy('part')
    .limit(chunksAtOnce)
    .execute()
  const chunks: EventChunk[] = []
  for (const { org, part, first, last, events } of rows) {
    const opened = await parts.open(org, placeOf(from.owner, from.id, part), events)
    if (!isObject(opened) || typeof opened['text'] !== 'string') return undefined
    chunks.push({ part, first, last, text: opened['text'] })
  }
  return chunks
}

/** Call it within a transaction. */
export async function removeBackground(transaction: Kysely<Tables>, rows: readonly Pick<BackgroundTable, 'owner' | 'id'>[]): Promise<void> {
  for (const { owner, id } of rows) {
    await transaction.deleteFrom('background_event').where('owner', '=', owner).where('response_id', '=', id).execute()
    await transaction.deleteFrom('background').where('owner', '=', owner).where('id', '=', id).execute()
  }
}
