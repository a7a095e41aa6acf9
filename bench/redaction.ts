// What redaction costs: the CPU time of searching a text, the longest turn of the event loop meanwhile, and what restoring costs an answer.
import { readFileSync } from 'node:fs'
import { definePlugin, Providers, type GenerationEvent } from '../core/index.ts'
import { testGateway, type TestGateway } from '../core/testing/index.ts'
import { Finder } from '../plugins/guardrails/redaction/finder.ts'
import redaction from '../plugins/guardrails/redaction/index.ts'
import responses from '../plugins/endpoints/responses/index.ts'
import localSealer from '../plugins/sealers/local/index.ts'
import memory from '../plugins/stores/memory/index.ts'
import { corpus } from '../scripts/redaction/score.ts'

const size = 32_768
const rounds = 9

const english = ['README.md', 'docs/plugins.md', 'docs/architecture.md', 'docs/reliability.md']
  .map(name => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))
  .join('\n')
  .replaceAll(/[|`*#[\]()]/g, ' ')
const texts: Record<string, string> = { English: filled(english) }
for (const kind of ['secret', 'email', 'iban', 'card', 'national_id', 'phone', 'ip'])
  texts[`dense with ${kind}`] = filled(
    corpus()
      .filter(({ values }) => values.some(value => value.kind === kind))
      .map(({ text }) => text)
      .join('\n'),
  )
texts['dense with all kinds'] = filled(
  corpus()
    .filter(({ values }, index) => values.length > 0 && index % 5 === 0)
    .map(({ text }) => text)
    .join('\n'),
)
for (const [name, piece] of Object.entries({
  'digits with spaces': '1 ',
  'groups of four digits': '4111 ',
  'one run of digits': '9',
  'one word': 'a',
  'signs of addresses': 'a@',
  'addresses without an end': 'a.b@c.d-',
  points: 'a.',
  colons: 'ab:',
  'URLs with a user': 'http://a:',
  'beginnings of private keys': '-----BEGIN RSA PRIVATE KEY-----\n',
  'numbers that are announced': 'tel 1234567890 ',
  'country codes': '+1 234 ',
  'beginnings of IBANs': 'DE12 ',
  'beginnings of tokens': 'eyJabcdefghijklmnop.',
  'keys of vendors': 'sk-aaaaaaaaaaaaaaaaaaaaaaaa ',
  'words that announce': 'api_key = ',
  brackets: '[EMAIL_',
  'zero-width spaces': '4\u200b1\u200b1\u200b',
  'tokens for a registry': '_authToken=',
  databases: 'mongodb://a',
  'tokens for chats': 'xoxb-a-',
}))
  texts[`hostile: ${name}`] = filled(piece)

function filled(text: string): string {
  return text.repeat(Math.ceil(size / text.length)).slice(0, size)
}

console.log('| 32 kB | found | CPU ms | longest turn, ms |\n|---|---|---|---|')
const finder = new Finder({})
for (const text of Object.values(texts)) for (let warmUp = 0; warmUp < 4; warmUp++) await finder.find(text)
for (const [name, text] of Object.entries(texts)) {
  const costs: { readonly cpuMs: number; readonly turnMs: number; readonly found: number }[] = []
  for (let round = 0; round < rounds; round++) costs.push(await cost(text))
  const { cpuMs, turnMs, found } = {
    ...costs[0]!,
    cpuMs: median(costs.map(each => each.cpuMs)),
    turnMs: median(costs.map(each => each.turnMs)),
  }
  console.log(`| ${name} | ${found} | ${cpuMs.toFixed(1)} | ${turnMs.toFixed(1)} |`)
}

async function cost(text: string) {
  let isOver = false
  let turnMs = 0
  let last = process.cpuUsage()
  const watch = (): void => {
    turnMs = Math.max(turnMs, milliseconds(process.cpuUsage(last)))
    last = process.cpuUsage()
    if (!isOver) setImmediate(watch)
  }
  setImmediate(watch)
  const before = process.cpuUsage()
  const { length: found } = await finder.find(text)
  const cpuMs = milliseconds(process.cpuUsage(before))
  isOver = true
  watch()
  return { cpuMs, turnMs, found }
}

// An answer of many events, for a key without redaction, one whose request had nothing to redact, and one that restores.

const events = 4_000
const words = Array.from({ length: events }, (_, index): GenerationEvent => ({
  type: 'text',
  text: index % 40 === 0 ? ' [EMAIL_1]' : ' word',
}))
const vendor = definePlugin({
  name: 'vendor',
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    gateway.add(Providers, {
      id: 'vendor',
      async *generate() {
        yield* words
        yield { type: 'finish', reason: 'stop' }
      },
    })
  },
})

async function serving(isRedacted: boolean, isLoaded: boolean): Promise<TestGateway> {
  const basics = [memory({}), localSealer({ masterKey: 'ab'.repeat(32) }), responses({}), vendor({})]
  const policy = isRedacted ? { redaction: { value: true } } : {}
  return await testGateway({ plugins: [...basics, ...(isLoaded ? [redaction({})] : [])], key: { name: 'demo', policy } })
}

const cases = {
  'the plugin is not loaded': { under: await serving(false, false), input: 'write to jane@example.com' },
  'a key without redaction': { under: await serving(false, true), input: 'write to jane@example.com' },
  'nothing to redact': { under: await serving(true, true), input: 'write to somebody' },
  restored: { under: await serving(true, true), input: 'write to jane@example.com' },
}
const perEvent: Record<string, number[]> = Object.fromEntries(Object.keys(cases).map(name => [name, []]))
for (let round = -3; round < 21; round++)
  for (const [name, { under, input }] of Object.entries(cases)) {
    const before = process.cpuUsage()
    await (await under.request('/v1/responses', { body: { model: 'vendor/m', input, stream: true } })).text()
    if (round >= 0) perEvent[name]!.push((milliseconds(process.cpuUsage(before)) * 1_000) / events)
  }
const [base] = Object.values(perEvent)
console.log('\n| streamed answer | CPU µs per event | ratio |\n|---|---|---|')
for (const [name, costs] of Object.entries(perEvent))
  console.log(`| ${name} | ${median(costs).toFixed(2)} | ${(median(costs) / median(base!)).toFixed(2)} |`)
for (const { under } of Object.values(cases)) await under.stop()

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
