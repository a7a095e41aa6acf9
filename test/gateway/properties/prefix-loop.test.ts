import t from 'tap'
import type { JsonObject } from '../../../core/index.ts'
import { fakeUpstream, type TestGateway } from '../../../core/testing/index.ts'
import redaction from '../../../plugins/guardrails/redaction/index.ts'
import { gateway } from '../../kit/gateway.ts'
import { changes } from './prefix/bytes.ts'
import { wires } from './prefix/endpoints.ts'
import { pathFor, type Surface } from './prefix/surface.ts'
import { surfaces } from './prefix/surfaces.ts'

// A loop of tools as clients run it: they send back what they got. Each request begins with the bytes of the one before.

t.setTimeout(120_000)

const conversation = { system: 'Be brief. Write to jane.doe@example.com', tools: [{ name: 'look' }] }

for (const redacts of [false, true])
  t.test(redacts ? 'with redaction on' : 'with nothing in between', async t => {
    const asked: string[] = []
    const vendors = await Promise.all(
      Object.values(wires).map(({ turns }) =>
        fakeUpstream(({ text }) => {
          asked.push(text)
          return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(turns[asked.length - 1] ?? turns.at(-1)) }
        }),
      ),
    )
    t.teardown(() => Promise.all(vendors.map(vendor => vendor.close())))
    const under = await gateway({
      plugins: [
        redaction({}),
        ...Object.values(surfaces).flatMap(({ plugin }) => plugin ?? []),
        ...Object.entries(wires).map(([id, { use }], index) => use(id, vendors[index]!.url)),
      ],
      key: { policy: { redaction: { value: redacts }, logging: { value: true } } },
    })
    t.teardown(under.stop)
    const compare = (name: string): void => {
      for (const [index, body] of asked.entries())
        if (index > 0) t.same(changes(asked[index - 1]!, body), [], `${name}, request ${index + 1}`)
    }
    for (const [id, { models, turns }] of Object.entries(wires))
      for (const model of models) {
        for (const [name, surface] of Object.entries(surfaces)) {
          asked.length = 0
          await loop(under, surface, `${id}/${model}`, turns.length)
          t.equal(asked.length, turns.length + 1, `${name} to ${id}/${model}`)
          compare(`${name} to ${id}/${model}`)
        }
        asked.length = 0
        await chain(under, `${id}/${model}`, turns.length)
        compare(`a chain of stored responses to ${id}/${model}`)
      }
  })

const question = 'And now? I am joe@example.com'

/** The client keeps the conversation. */
async function loop(under: TestGateway, { path, body, list, continued }: Surface, model: string, rounds: number): Promise<void> {
  let said: readonly JsonObject[] = []
  const ask = async (): Promise<JsonObject> => {
    const user = body(model, { ...conversation, turns: [{ by: 'user', parts: [{ type: 'text', text: question }] }] })
    // After results, the model goes on by itself.
    if (!isResult(said.at(-1))) said = [...said, ...(user[list] as readonly JsonObject[])]
    return await answered(under, pathFor({ path }, model), { ...user, [list]: said })
  }
  for (let round = 0; round < rounds; round++) {
    const answer = await ask()
    said = [...said, ...continued(answer)]
  }
  await ask()
}

/** The gateway keeps it. */
async function chain(under: TestGateway, model: string, rounds: number): Promise<void> {
  const { path, body, continued } = surfaces['responses']!
  let previous: JsonObject = {}
  let input: readonly JsonObject[] = []
  const ask = async (): Promise<JsonObject> => {
    const user = body(model, { ...conversation, turns: [{ by: 'user', parts: [{ type: 'text', text: question }] }] })
    const next = input.length > 0 ? input : (user['input'] as readonly JsonObject[])
    return await answered(under, pathFor({ path }, model), { ...user, ...previous, store: true, input: next })
  }
  for (let round = 0; round < rounds; round++) {
    const answer = await ask()
    previous = { previous_response_id: answer['id'] }
    input = continued(answer).filter(({ type }) => type === 'function_call_output')
  }
  await ask()
}

async function answered(under: TestGateway, path: string, body: JsonObject): Promise<JsonObject> {
  const reply = await under.request(path, { body })
  const text = await reply.text()
  if (reply.status !== 200) throw new Error(`${reply.status}: ${text}`)
  return JSON.parse(text) as JsonObject
}

function isResult(last: JsonObject | undefined): boolean {
  if (last?.['role'] === 'tool') return true
  const [part] = (last?.['parts'] ?? []) as readonly JsonObject[]
  if (part?.['functionResponse']) return true
  const content = last?.['content']
  return last?.['type'] === 'function_call_output' || (Array.isArray(content) && (content[0] as JsonObject)['type'] === 'tool_result')
}
