import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import type { KeySettings } from '../../../core/contracts/key-store.ts'
import { systemClock } from '../../../core/foundation/clock.ts'
import { checkResponse, testGateway, type CheckedResponse, type TestGateway } from '../../../core/testing/index.ts'
import responses from '../../../plugins/endpoints/responses/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import sql from '../../../plugins/stores/sql/index.ts'
import { Workplace, type TurnpikeProcess } from '../../kit/turnpike-process.ts'
import { ask, said, stop, text, witness, type Witness } from '../../kit/stage.ts'
import { bytesBeside, fileOf, masterKey, openSql, run, write } from './sql.ts'

const canary = 'canary-0123456789abcdef'
const logging = { logging: { value: true } } as const

/** A whole gateway that keeps keys and responses in a file, before a provider that says `answer <n>`. */
async function gatewayOn(file: string): Promise<TestGateway & Pick<Witness, 'calls'>> {
  const { plugin, calls } = witness('acme', (_call, count) => [text(`answer ${count}`), stop])
  const stores = [memory({ services: ['metrics', 'limits', 'ledger'] }), sql({ file }), localSealer({ masterKey })]
  return { ...(await testGateway({ plugins: [...stores, responses({}), plugin] })), calls }
}

async function bearer(under: TestGateway, settings: KeySettings): Promise<{ readonly authorization: string }> {
  return { authorization: `Bearer ${await under.gateway.issueKey(settings)}` }
}

/** The input of the calls to the provider, item by item. */
function saidIn(under: Pick<Witness, 'calls'>): readonly unknown[] {
  return under.calls
    .at(-1)!
    .request.input.map(item => item.type === 'message' && item.content.map(part => 'text' in part && part.text).join())
}

t.test('a conversation and its items go on after a restart, for their owner alone', async t => {
  const file = fileOf(t)
  const before = await gatewayOn(file)
  const ada = await bearer(before, { name: 'ada', user: 'ada', policy: logging })
  const adaAgain = await bearer(before, { name: 'ada, rotated', user: 'ada', policy: logging })
  const bob = await bearer(before, { name: 'bob', user: 'bob', policy: logging })
  const first = (await ask(before, { model: 'acme/m', input: 'question 1' }, ada)).response
  const second = (await ask(before, { model: 'acme/m', input: 'question 2', previous_response_id: first.id, stream: true }, ada)).response
  await before.stop()

  const after = await gatewayOn(file)
  t.teardown(after.stop)
  const follow = { model: 'acme/m', input: 'question 3', previous_response_id: second.id }
  t.equal((await ask(after, follow, ada)).status, 200)
  t.strictSame(saidIn(after), ['question 1', 'answer 1', 'question 2', 'answer 2', 'question 3'])
  t.equal((await ask(after, follow, adaAgain)).status, 200, 'another key of the same owner')
  t.match(await ask(after, follow, bob), { status: 400, error: { code: 'previous_response_not_found', param: 'previous_response_id' } })

  const reference = {
    model: 'acme/m',
    input: [
      { type: 'item_reference', id: first.output[0]!['id'] },
      { role: 'user', content: 'go on' },
    ],
  }
  t.equal((await ask(after, reference, ada)).status, 200)
  t.strictSame(saidIn(after), ['answer 1', 'go on'])
  t.match(await ask(after, reference, bob), { status: 400, error: { param: 'input', message: /Item with id 'msg_\w+' not found/ } })
  t.strictSame(
    run(file, 'select distinct owner, org from response').map(row => ({ ...row })),
    [{ owner: 'default/user/ada', org: 'default' }],
  )
})

t.test('a deleted link makes the chain unknown', async t => {
  const file = fileOf(t)
  const under = await gatewayOn(file)
  t.teardown(under.stop)
  const first = (await ask(under, { model: 'acme/m' })).response
  const second = (await ask(under, { model: 'acme/m', previous_response_id: first.id })).response
  const beside = await openSql(file)
  t.teardown(beside.stop)
  t.equal(await beside.responses.delete('default', first.id), true, 'by another process, say')
  for (const id of [first.id, second.id])
    t.match(await ask(under, { model: 'acme/m', previous_response_id: id }), {
      status: 400,
      error: { code: 'previous_response_not_found' },
    })
})

t.test('a damaged response is not found, the log names it and says no more, and others are served', async t => {
  const file = fileOf(t)
  const under = await gatewayOn(file)
  t.teardown(under.stop)
  const { id, output } = (await ask(under, { model: 'acme/m', input: canary })).response
  const whole = (await ask(under, { model: 'acme/m', input: canary })).response
  await write(file, 'update response set conversation = cast(substr(conversation, 1, length(conversation) - 1) as blob) where id = ?', id)
  for (const stream of [false, true])
    t.match(await ask(under, { model: 'acme/m', previous_response_id: id, stream }), {
      status: 400,
      error: { code: 'previous_response_not_found', param: 'previous_response_id' },
    })
  const items = [{ type: 'item_reference', id: output[0]!['id'] }]
  t.match(await ask(under, { model: 'acme/m', input: items }), { status: 400, error: { message: /Item with id 'msg_\w+' not found/ } })
  for (const path of ['', '/input_items']) {
    const reply = await under.request(`/v1/responses/${id}${path}`)
    t.match([reply.status, await reply.json()], [404, { error: { code: 'not_found' } }], path)
    t.equal((await under.request(`/v1/responses/${whole.id}${path}`)).status, 200)
  }
  t.equal((await ask(under, { model: 'acme/m', previous_response_id: whole.id })).status, 200)
  const lines = under.logs.map(line => JSON.parse(line) as Record<string, unknown>).filter(line => line['plugin'] === 'sql')
  t.equal(lines.length, 7, 'a chain that breaks is read twice')
  for (const line of lines) t.match(line, { level: 'error', response: id, part: 'conversation', message: /cannot be decrypted/ })
  t.notMatch(under.logs.join('\n'), canary)
  t.equal((await under.request(`/v1/responses/${id}`, { method: 'DELETE' })).status, 200, 'it can be deleted')
  t.equal((await under.request(`/v1/responses/${id}`, { method: 'DELETE' })).status, 404)
})

t.test('with a response, the content of its record is deleted, also of one that was just made', async t => {
  const file = fileOf(t)
  const under = await gatewayOn(file)
  t.teardown(under.stop)
  const rows = () => run(file, 'select answer_id, sealed from record left join record_content using (id) where answer_id is not null')
  const ids: string[] = []
  for (const isKept of [false, true]) {
    const { id } = (await ask(under, { model: 'acme/m', input: canary })).response
    while (isKept && !rows().some(row => row['answer_id'] === id)) await setTimeout(20)
    t.equal((await under.request(`/v1/responses/${id}`, { method: 'DELETE' })).status, 200)
    ids.push(id)
  }
  const kept = (await ask(under, { model: 'acme/m', input: canary })).response
  while (rows().length < 3) await setTimeout(20)
  for (const { answer_id: id, sealed } of rows()) t.equal(sealed === null, ids.includes(id as string), id as string)
  t.equal((await under.request(`/v1/responses/${kept.id}`)).status, 200)
})

t.test('with logging off, or where the caller says so, nothing is written', async t => {
  const file = fileOf(t)
  const under = await gatewayOn(file)
  const silent = await bearer(under, { name: 'silent' })
  for (const stream of [true, false]) {
    t.equal((await ask(under, { model: 'acme/m', input: canary, stream }, silent)).response['store'], false)
    t.equal((await ask(under, { model: 'acme/m', input: canary, stream, store: false })).response['store'], false)
  }
  for (const table of ['response', 'response_item', 'data_key']) t.strictSame(run(file, `select * from ${table}`), [], table)
  t.notOk(bytesBeside(file).includes(canary))
  await under.stop()
  t.notOk(bytesBeside(file).includes(canary))
})

t.test('answered requests survive SIGKILL', async t => {
  const workplace = new Workplace(`
    import { defineConfig, defaults } from 'turnpike/config'
    export default defineConfig({ server: { port: 0, drainAnnounceMs: 0 }, plugins: defaults({ without: ['ollama'] }) })`)
  t.teardown(() => workplace.remove())
  const key = (await workplace.run('keys', 'create', '--logging')).stdout.trim()
  const post = async (gateway: TurnpikeProcess, body: object): Promise<CheckedResponse> => {
    const reply = await fetch(`${await gateway.url()}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox/reasoning', input: `Say ${canary}`, stream: true, ...body }),
    })
    return await completed(reply)
  }

  const first = workplace.spawn(['start'])
  const ids = [(await post(first, {})).id, (await post(first, {})).id]
  first.signal('SIGKILL')
  await first.finished
  const file = join(workplace.path, 'data', 'turnpike.db')
  t.ok(existsSync(`${file}-wal`), 'it had no time to tidy up')
  t.notOk(bytesBeside(file).includes(canary))

  const second = workplace.spawn(['start'])
  for (const previous_response_id of ids)
    t.match(said(await post(second, { previous_response_id })), /I remember turn 1\./, 'its reasoning too')
  second.signal('SIGKILL')
  await second.finished

  const kept = await openSql(file, {}, systemClock, { keyFile: join(workplace.path, 'data', 'master.key') })
  t.teardown(kept.stop)
  for (const id of ids) {
    const stored = await kept.responses.get('default', id)
    t.match(stored?.body, { id, status: 'completed', store: true })
    t.match(JSON.stringify(stored?.input), canary)
  }
  t.notOk(bytesBeside(file).includes(canary))
})

/** The response in a stream, as soon as its last event is here. */
async function completed(reply: Response): Promise<CheckedResponse> {
  let text = ''
  for await (const piece of reply.body!.pipeThrough(new TextDecoderStream())) {
    text += piece
    const [, event] = /^event: response\.completed\ndata: (.*)\n\n/m.exec(text) ?? []
    if (event) return checkResponse(JSON.parse(event).response)
  }
  throw new Error(`the stream ended early: ${text}`)
}
