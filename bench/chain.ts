import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../core/foundation/clock.ts'
import { createGateway } from '../core/gateway.ts'
import { History } from '../core/generation/history.ts'
import { noRecords } from '../core/records/no-records.ts'
import { timedIds } from '../core/foundation/ids.ts'
import { definePlugin, type GenerationRequest, type Item, type PluginUse } from '../core/index.ts'
import { ResponseStore, type StoredResponse } from '../core/stores.ts'
import { createLogger } from '../core/foundation/logger.ts'
import { Masks } from '../core/foundation/masks.ts'
import { defaultSettings } from '../core/framework/settings.ts'
import localSealer from '../plugins/sealers/local/index.ts'
import memory from '../plugins/stores/memory/index.ts'
import sql from '../plugins/stores/sql/index.ts'

// What `previous_response_id` costs before a provider is called: finding, opening and joining all earlier turns.

const turns = 50
/** Of the same owner. */
const otherResponses = 5_000
const rounds = 5
const extensionsInRound = 40
const owner = 'example'
const key = { id: 'demo', hash: '', name: 'demo', org: 'example', policy: {}, createdAt: 0 }
const off = { value: false, source: 'key' } as const
const caller = { key, owner, policy: { zdr: off, hipaa: off, redaction: off, logging: { value: true, source: 'key' } as const } }

interface Contender {
  readonly name: string
  readonly limitMs?: number
  readonly run: () => unknown
}

const folder = mkdtempSync(join(tmpdir(), 'turnpike-bench-'))
let missed = false
try {
  for (const [what, itemsInTurn, textLength] of [
    ['a chat: a question of 1 kB and an answer of 1 kB', 2, 1_000],
    ['an agent: 10 items of 2 kB', 10, 2_000],
  ] as const)
    await compare(what, itemsInTurn, textLength)
} finally {
  rmSync(folder, { recursive: true })
}
process.exitCode = missed ? 1 : 0

async function compare(what: string, itemsInTurn: number, textLength: number): Promise<void> {
  const chain = Array.from({ length: turns }, (_, turn) => response(turn, itemsInTurn, textLength))
  const texts = chain.map(({ input, output }) => JSON.stringify({ input, output }))
  const file = join(folder, `${itemsInTurn}.db`)
  const inMemory = await openStore([memory({})])
  const inSqlite = await openStore([memory({ services: ['keys', 'metrics', 'limits', 'ledger'] }), sql({ file, services: ['responses'] })])
  for (const { store } of [inMemory, inSqlite]) {
    for (let index = 0; index < otherResponses; index++) await store.put(owner, { ...response(0, 2, 50), id: `resp_other_${index}` })
    for (const link of chain) await store.put(owner, link)
  }
  const contenders: readonly Contender[] = [
    { name: 'JSON.parse', run: () => texts.map(text => JSON.parse(text) as unknown) },
    { name: 'memory', limitMs: 5, run: extending(inMemory.store) },
    { name: 'sqlite', limitMs: 15, run: extending(inSqlite.store) },
  ]
  // Each round visits all, so that disturbances affect all of them.
  const times = contenders.map((): number[] => [])
  for (let round = 0; round <= rounds; round++)
    for (const [index, { run }] of contenders.entries()) {
      const ms = await timed(run)
      // The first run compiles.
      if (round > 0) times[index]!.push(ms)
    }
  console.log(`${turns} turns, ${what} each (${Math.round(texts.join('').length / 1_000)} kB)`)
  const parsingMs = median(times[0]!)
  for (const [index, { name, limitMs }] of contenders.entries()) {
    const ms = median(times[index]!)
    const verdict = limitMs === undefined ? '' : ms <= limitMs ? `, at most ${limitMs} ms: met` : `, at most ${limitMs} ms: MISSED`
    missed ||= limitMs !== undefined && ms > limitMs
    console.log(`  ${name.padEnd(10)} ${ms.toFixed(2).padStart(6)} ms  ${(ms / parsingMs).toFixed(2).padStart(5)} × JSON.parse${verdict}`)
  }
  await Promise.all([inMemory.stop(), inSqlite.stop()])
}

async function openStore(stores: readonly PluginUse[]): Promise<{ store: ResponseStore; stop: () => Promise<void> }> {
  const opened = Promise.withResolvers<ResponseStore>()
  const reader = definePlugin({
    name: 'store-reader',
    options: { type: 'object', additionalProperties: false, properties: {} },
    needs: { store: ResponseStore },
    setup: (_gateway, _options, { store }) => opened.resolve(store),
  })
  const sealer = localSealer({ masterKey: 'ab'.repeat(32) })
  const gateway = await createGateway({ plugins: [...stores, sealer, reader({})], settings: { logLevel: 'error' } })
  return { store: await opened.promise, stop: () => gateway.stop() }
}

function extending(store: ResponseStore): () => Promise<void> {
  const history = new History(store, noRecords, defaultSettings, systemClock, timedIds, createLogger('silent', new Masks()))
  const request: GenerationRequest = {
    model: 'demo',
    input: [message('user', 'And then?', 'msg_next')],
  }
  const continuing = { param: 'previous_response_id', continues: `resp_${turns - 1}` }
  return async () => {
    const { request: extended } = await history.extend(request, continuing, caller)
    if (extended.input.length <= turns) throw new Error('the chain was not found')
  }
}

/** Milliseconds per run, averaged over many. */
async function timed(run: () => unknown): Promise<number> {
  const start = performance.now()
  for (let index = 0; index < extensionsInRound; index++) await run()
  return (performance.now() - start) / extensionsInRound
}

function response(turn: number, itemsInTurn: number, textLength: number): StoredResponse {
  const text = 'The quick brown fox says “hello” to the lazy dog.\n'.repeat(textLength / 50)
  const items = (role: 'user' | 'assistant'): readonly Item[] =>
    Array.from({ length: itemsInTurn / 2 }, (_, index) => message(role, text, `msg_${turn}_${role}_${index}`))
  const input = items('user')
  const output = items('assistant')
  const previous = turn === 0 ? {} : { previousId: `resp_${turn - 1}` }
  return { id: `resp_${turn}`, org: 'example', ...previous, input, output, body: { id: `resp_${turn}`, output }, createdAt: turn }
}

function message(role: 'user' | 'assistant', text: string, id: string): Item {
  return { type: 'message', id, role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1]!
}
