import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import t, { type Test } from 'tap'
import type { CatalogEntry, GenerationEvent, ProviderCall } from '../../../core/index.ts'
import { Ledger, type CreditHold, type CreditShortage } from '../../../core/stores.ts'
import { systemClock } from '../../../core/foundation/clock.ts'
import { checkStream } from '../../../core/testing/index.ts'
import { MemoryLedger } from '../../../plugins/stores/memory/ledger.ts'
import { gateway, scripted } from '../../kit/gateway.ts'
import { ask, listing, providing, said, stop, text, usage } from '../../kit/stage.ts'

// A store that other processes share may no longer know whether a hold is its own: it was cut off, or stood still.

const words = 'The gateway ends what it may no longer pay for. '

function model(capabilities: object): CatalogEntry {
  const price = { input: 0, output: 100 }
  return { model: 'm', endpoints: [{ provider: 'acme', price, maxOutputTokens: 1_000, tokenizer: 'o200k_base', capabilities }] }
}

/** A ledger whose holds are sure until the test says otherwise. */
class DoubtfulLedger extends MemoryLedger {
  isSure = true
  answer: Promise<boolean> | boolean = true
  asked = 0
  readonly ends: (() => void)[] = []

  constructor() {
    super(systemClock)
  }

  override reserve(...asked: Parameters<MemoryLedger['reserve']>): CreditHold | CreditShortage {
    const hold = super.reserve(...asked)
    if ('short' in hold) return hold
    const { ends } = this
    return Object.defineProperties(hold, {
      isSure: { get: () => this.isSure },
      confirm: { value: async () => await this.#confirm() },
      onLost: { value: (end: () => void) => void ends.push(end) },
    })
  }

  async #confirm(): Promise<boolean> {
    this.asked++
    const isHeld = await this.answer
    if (isHeld) this.isSure = true
    else this.lose()
    return isHeld
  }

  lose(): void {
    for (const end of this.ends.splice(0)) end()
  }
}

/** The model has said its words once when the hold is no longer sure, and then says them again. */
async function open(t: Test, capabilities: object, more: () => Promise<unknown> = async () => {}) {
  const ledger = new DoubtfulLedger()
  const calls: ProviderCall[] = []
  const plugin = scripted('acme', async function* (call): AsyncGenerator<GenerationEvent> {
    calls.push(call)
    yield text(words)
    await new Promise(setImmediate)
    ledger.isSure = false
    await more()
    yield text(words)
    yield usage(0, countTokens(words.repeat(2)))
    yield stop
  })
  const under = await gateway({
    plugins: [plugin, listing(model(capabilities)), providing(Ledger, ledger)],
    key: { name: 'k', spendCapUsd: 1, spendPeriod: 'day' },
  })
  t.teardown(under.stop)
  return { under, ledger, calls }
}

/** Those whose hold grows as the answer comes, and those that are held in full. */
const kinds = { growing: { efforts: [] }, full: { efforts: ['low', 'high'] } } as const

for (const [kind, capabilities] of Object.entries(kinds)) {
  t.test(`a stream goes on once its hold is confirmed: ${kind}`, async t => {
    const { under, ledger } = await open(t, capabilities)
    const { response, requestId } = await ask(under, { model: 'm', stream: true })
    t.equal(response.status, 'completed')
    t.equal(said(response), words.repeat(2))
    t.equal(ledger.asked, 1)
    const record = await under.record(requestId)
    t.ok(record.heldUsd! > 0 && record.heldUsd! <= 0.1, `${record.heldUsd} USD were held`)
    t.same(record.notes, [])
  })

  t.test(`a stream whose hold was given away ends before it shows more, and what came is charged: ${kind}`, async t => {
    const { under, ledger, calls } = await open(t, capabilities)
    ledger.answer = false
    const reply = await under.request('/v1/responses', { body: { model: 'm', input: 'hi', stream: true } })
    const shown = await reply.text()
    const { response } = checkStream(shown)
    t.equal(response.status, 'failed')
    t.match(response['error'], { code: 'server_error', message: /lost touch/ })
    t.equal(shown.split(words).length, 2, 'the words came once')
    const requestId = reply.headers.get('x-request-id')!
    t.ok(calls[0]!.signal.aborted, 'the vendor was stopped')
    const record = await under.record(requestId)
    t.match(record, { status: 200, errorCode: 'server_error', notes: [{ kind: 'credit', summary: { lost: true } }] })
    const tokens = record.usage!.output
    t.equal(tokens, countTokens(words), 'only what it showed')
    t.same(ledger.spent([{ account: `key:${under.apiKey.split('_')[1]}`, period: 'day' }]), [record.costUsd])
  })

  for (const stream of [true, false])
    t.test(`a silent vendor does not keep a lost answer: ${kind}${stream ? ', streamed' : ''}`, async t => {
      const { promise: ended, resolve } = Promise.withResolvers<void>()
      const { under, ledger, calls } = await open(t, capabilities, async () => {
        ledger.lose()
        await ended
      })
      const { status, requestId } = await ask(under, { model: 'm', stream })
      t.equal(status, stream ? 200 : 503)
      t.ok(calls[0]!.signal.aborted)
      resolve()
      t.match(await under.record(requestId), { errorCode: 'server_error', notes: [{ kind: 'credit', summary: { lost: true } }] })
    })
}

t.test('a reply that begins when its hold was given away is neither shown nor charged', async t => {
  for (const stream of [true, false])
    for (const capabilities of Object.values(kinds)) {
      const ledger = new DoubtfulLedger()
      ledger.answer = false
      const plugin = scripted('acme', async function* (): AsyncGenerator<GenerationEvent> {
        ledger.isSure = false
        yield text(words)
        yield usage(0, countTokens(words))
        yield stop
      })
      const under = await gateway({
        plugins: [plugin, listing(model(capabilities)), providing(Ledger, ledger)],
        key: { name: 'k', spendCapUsd: 1, spendPeriod: 'day' },
      })
      const { status, requestId } = await ask(under, { model: 'm', stream })
      t.equal(status, 503)
      t.match(await under.record(requestId), { costUsd: null, errorCode: 'server_error' })
      t.same(ledger.spent([{ account: `key:${under.apiKey.split('_')[1]}`, period: 'day' }]), [0])
      await under.stop()
    }
})

t.test('nothing is asked of a vendor under a hold that was given away meanwhile', async t => {
  const { under, ledger, calls } = await open(t, kinds.full)
  ledger.isSure = ledger.answer = false
  const { status } = await ask(under, { model: 'm', stream: true })
  t.equal(status, 503)
  t.equal(calls.length, 0)
  t.same(ledger.spent([{ account: `key:${under.apiKey.split('_')[1]}`, period: 'day' }]), [0])
})
