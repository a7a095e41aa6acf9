import type { Test } from 'tap'
import { systemClock, type Clock } from '../../../core/foundation/clock.ts'
import { createLogger } from '../../../core/foundation/logger.ts'
import { Masks } from '../../../core/foundation/masks.ts'
import { Connection } from '../../../plugins/stores/valkey/connection.ts'
import { ValkeyCoordination } from '../../../plugins/stores/valkey/coordination.ts'
import { Keys } from '../../../plugins/stores/valkey/keys.ts'
import { placeOf, type PlaceOptions } from '../../../plugins/stores/valkey/place.ts'
import { ValkeySharedState } from '../../../plugins/stores/valkey/shared-state.ts'

export interface Member {
  readonly connection: Connection
  readonly coordination: ValkeyCoordination
  readonly state: ValkeySharedState
  readonly logs: readonly string[]
  close(): void
}

export interface MemberOptions {
  readonly prefix?: string
  readonly clock?: Clock
  readonly lives?: { readonly aliveMs: number; readonly leaseMs: number }
  readonly answerTimeoutMs?: number
  readonly waitMs?: number
  readonly tls?: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer; readonly serverName?: string }
}

/** One gateway's part of the plugin, without a gateway. */
export async function openMember(
  place: PlaceOptions,
  { prefix = 'turnpike:', clock = systemClock, lives, answerTimeoutMs = 2_000, waitMs = 5_000, tls = {} }: MemberOptions = {},
): Promise<Member> {
  const logs: string[] = []
  const log = createLogger('debug', new Masks(), line => void logs.push(line)).child('valkey')
  const keys = new Keys(prefix)
  const connection = new Connection({ place: placeOf('valkey', place), tls, keys, connectTimeoutMs: 1_000, answerTimeoutMs }, clock, log)
  const coordination = new ValkeyCoordination(connection, keys, clock, lives)
  const state = new ValkeySharedState(connection, keys, clock)
  await connection.open(waitMs)
  return { connection, coordination, state, logs, close: () => connection.close() }
}

/** As above, closed when the test ends. */
export async function member(t: Test, place: PlaceOptions, options?: MemberOptions): Promise<Member> {
  const opened = await openMember(place, options)
  t.teardown(() => opened.close())
  return opened
}
