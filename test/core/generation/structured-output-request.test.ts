import t from 'tap'
import type { Capabilities } from '../../../core/index.ts'
import { gateway } from '../../kit/gateway.ts'
import { ask, listing, said, stop, text, witness } from '../../kit/stage.ts'
import { answering, formatOf, good, invoice, type Structured } from './structured-output-stage.ts'

t.test('what reaches the provider', async t => {
  const sent = async (structuredOutput: Structured, body: object, more?: Capabilities) => {
    const { under, calls, ask } = await answering(structuredOutput, () => [text(good), stop], more)
    const reply = await ask(body)
    await under.stop()
    t.equal(reply.status, 200)
    const { request } = calls[0]!
    return { request, all: JSON.stringify(request), warnings: reply.headers.get('x-gateway-warnings'), response: reply.response }
  }
  const system = { role: 'developer', content: 'Be brief.' }
  const user = { role: 'user', content: 'hi' }

  await t.test('a model that knows schemas, or of which nothing is known, is asked as the caller asks', async t => {
    for (const able of ['json_schema', undefined] as const) {
      const { request, warnings } = await sent(able, { instructions: 'Be brief.' })
      t.strictSame([request.text?.format, request.instructions, warnings], [invoice, 'Be brief.', null])
    }
    const { request, warnings } = await sent('json_object', { text: { format: { type: 'json_object' } } })
    t.strictSame([request.text, request.input.length, warnings], [{ format: { type: 'json_object' } }, 1, null])
    t.equal((await sent('none', { text: { format: { type: 'text' } } })).warnings, null)
  })

  await t.test('a schema becomes json_object and a system prompt', async t => {
    const { request, warnings, response } = await sent('json_object', { text: { format: invoice, verbosity: 'low' } })
    t.strictSame(request.text, { verbosity: 'low', format: { type: 'json_object' } })
    t.match(request.input[0], { type: 'message', role: 'system' })
    const prompt = JSON.stringify(request.input[0])
    t.match(prompt, /JSON Schema \\"invoice\\" \(What has to be paid\.\)/)
    t.match(prompt, JSON.stringify(JSON.stringify(invoice.schema)).slice(1, -1))
    t.match(warnings, /^text\.format: json_schema .*json_object/)
    t.match(response['text'], { format: { type: 'json_schema', name: 'invoice', schema: invoice.schema } }, 'the echo is what was asked')
  })

  await t.test('a model that has neither is only told', async t => {
    const schema = await sent('none', { text: { format: invoice, verbosity: 'low' } })
    t.strictSame(schema.request.text, { verbosity: 'low' })
    t.match(schema.all, 'JSON Schema')
    t.match(schema.warnings, /^text\.format: json_schema /)
    const object = await sent('none', { text: { format: { type: 'json_object' } } })
    t.strictSame(object.request.text, {})
    t.match(object.all, 'Answer with one JSON object')
    t.match(object.warnings, /^text\.format: json_object /)
  })

  await t.test('a provider that cannot be held to one schema is held to what it can', async t => {
    for (const [enforced, format] of [
      ['json_object', { type: 'json_object' }],
      [undefined, undefined],
    ] as const) {
      const acme = witness('acme', () => [text(good), stop], { enforcesFormat: ({ type }) => type === enforced })
      const under = await gateway({ plugins: [acme.plugin] })
      const reply = await ask(under, { model: 'acme/m', text: { format: invoice } })
      await under.stop()
      t.equal(said(reply.response), good)
      t.match(reply.headers.get('x-gateway-warnings'), /^text\.format: /)
      t.strictSame(acme.calls[0]!.request.text?.format, format)
    }
  })

  await t.test('JSON mode gives objects: a schema of something else goes without it', async t => {
    const acme = witness('acme', () => [text('["a"]'), stop])
    const list = listing({ model: 'm', endpoints: [{ provider: 'acme', capabilities: { structuredOutput: 'json_object' } }] })
    const under = await gateway({ plugins: [acme.plugin, list] })
    t.teardown(under.stop)
    for (const [type, format] of [
      ['array', undefined],
      [['object', 'array'], { type: 'json_object' }],
    ] as const) {
      const { response } = await ask(under, { model: 'm', text: { format: formatOf({ type, items: { type: 'string' } }) } })
      t.equal(said(response), '["a"]')
      t.same(acme.calls.pop()!.request.text?.format, format)
    }
  })

  await t.test('the prompt stands beside the system prompt that is there, in front of the conversation', async t => {
    const rest = { input: [user] }
    const instructed = await sent('none', { instructions: 'Be brief.', ...rest })
    t.match(instructed.request.instructions, /^Be brief\.\n\nAnswer with one JSON value/)
    t.equal(instructed.request.input.length, 1)
    const led = await sent('none', { input: [system, user] })
    t.equal(led.request.input.length, 2)
    t.match(led.request.input[0], { role: 'developer', content: [{ text: 'Be brief.' }, { text: /^\n\nAnswer with one JSON value/ }] })
    const again = await sent('none', { input: [system, user, { role: 'assistant', content: good }, user] })
    t.strictSame(again.request.input[0], led.request.input[0], 'a later turn begins with the same words')
    const responses = await sent('json_object', { instructions: 'Be brief.', ...rest }, { jsonModeReadsInput: true })
    t.equal(responses.request.instructions, 'Be brief.')
    t.match(responses.request.input[0], { role: 'system', content: [{ text: /JSON/ }] }, 'where JSON mode looks for the word')
  })
})
