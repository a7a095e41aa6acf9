import { readFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import OpenAI from 'openai'
import t from 'tap'
import summary from '../../plugins/compactors/summary/index.ts'
import { stage } from './stage.ts'

const folder = join(import.meta.dirname, '../../../shared/wire-schemas')

/** The objections of types that others published; none where they are absent. */
function problemsOf(file: string, compacted: unknown): string {
  const path = join(folder, file)
  if (!existsSync(path)) return ''
  const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false, logger: false })
  ajv.addSchema(JSON.parse(readFileSync(path, 'utf8').replaceAll('"oneOf"', '"anyOf"')) as object, 'published')
  const check = ajv.compile({ $ref: 'published#/components/schemas/CompactResource' })
  return check(compacted) ? '' : ajv.errorsText(check.errors).slice(0, 400)
}

t.test('the openai SDK compacts a conversation on every wire, and goes on from it on every other', async t => {
  const under = await stage(t, [summary({})])
  const client = new OpenAI({ apiKey: under.apiKey, baseURL: under.baseURL, maxRetries: 0 })
  const models = [...under.wires, 'sandbox/echo', 'sandbox/tools', 'sandbox/reasoning']
  const conversation = [
    { role: 'user' as const, content: 'Remember the code word: slate.' },
    { role: 'assistant' as const, content: 'OK.' },
    { role: 'user' as const, content: 'Compress this conversation for later continuation.' },
  ]
  for (const [index, model] of models.entries()) {
    const compacted = await client.responses.compact({ model, input: conversation, prompt_cache_key: 'demo' })
    t.equal(compacted.object, 'response.compaction')
    t.same(
      compacted.output.map(({ type }) => type),
      ['message', 'message', 'compaction'],
      model,
    )
    t.ok(compacted.usage.total_tokens > 0)
    for (const file of ['open-responses.2026-04-24.openapi.json', 'openai.responses-and-chat.openapi.json'])
      t.equal(problemsOf(file, compacted), '', file)

    const other = models[(index + 1) % models.length]!
    const input = [...(compacted.output as OpenAI.Responses.ResponseInputItem[]), { role: 'user' as const, content: 'Go on.' }]
    const whole = await client.responses.create({ model: other, input })
    t.equal(whole.status, 'completed')
    t.ok(whole.output_text.length > 0)

    const streamed = await client.responses
      .stream({ model, input: [...conversation, { type: 'compaction_trigger' }], store: false })
      .finalResponse()
    t.same(
      streamed.output.map(({ type }) => type),
      ['compaction'],
    )
    const managed = await client.responses.create({
      model,
      input: [...conversation.slice(0, 1), { role: 'assistant', content: 'lorem ipsum '.repeat(500) }, ...conversation.slice(2)],
      context_management: [{ type: 'compaction', compact_threshold: 1_000 }],
    })
    t.equal(managed.output[0]!.type, 'compaction')
    t.ok(managed.output_text.length > 0)
    const chained = await client.responses.create({ model: other, input: 'Go on.', previous_response_id: managed.id })
    t.equal(chained.status, 'completed')
    const after = await client.responses.compact({ model, previous_response_id: chained.id })
    t.equal(after.output.at(-1)!.type, 'compaction')
  }
})
