import { gzipSync } from 'node:zlib'
import OpenAI from 'openai'
import t, { type Test } from 'tap'
import type { GenerationEvent, OptionsInput, PolicyField } from '../../../core/index.ts'
import {
  checkStream,
  cut,
  fakeUpstream,
  readEvents,
  reset,
  stall,
  turn,
  type FakeReply,
  type Script,
  type Step,
} from '../../../core/testing/index.ts'
import decisions from '../../../plugins/endpoints/decisions/index.ts'
import redaction from '../../../plugins/guardrails/redaction/index.ts'
import webhook from '../../../plugins/guardrails/webhook/index.ts'
import { decide, deciding } from '../../kit/decision-stage.ts'
import { ask, guarding, said, stop, text, witness } from '../../kit/stage.ts'
import { gateway, hello } from '../../kit/gateway.ts'

type Options = Parameters<typeof webhook>[0]

const secret = `whsec_${Buffer.from('a demo secret of 32 bytes length').toString('base64')}`
const token = 'Bearer demo-webhook-token'

const json = (body: unknown): FakeReply => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
const allow = json({ verdict: 'allow' })

async function stage(
  t: Test,
  script: Script,
  options: Partial<Options> = {},
  answer: () => Iterable<GenerationEvent> = () => hello,
  policy: Partial<Record<PolicyField, { value: boolean }>> = { logging: { value: true } },
) {
  const service = await fakeUpstream(script)
  t.teardown(() => service.close())
  const acme = witness('acme', answer)
  const one = deciding('vendor')
  const enforcing = guarding(undefined, { enforces: ['zdr', 'hipaa'] })
  const hook = webhook({ url: `${service.url}/checks/path-secret`, onFailure: 'refuse', name: 'moderation', timeoutMs: 60_000, ...options })
  const under = await gateway({ plugins: [decisions({}), acme.plugin, one.plugin, enforcing, hook], key: { policy } })
  t.teardown(under.stop)
  return { under, service, acme, one }
}

const asked = (requests: readonly { readonly body: unknown }[]): any[] => requests.map(({ body }) => body)

t.test('the service gets every text with its place', async t => {
  const { under, service } = await stage(t, () => allow, { secret, headers: { Authorization: token } })
  const { status, requestId } = await ask(under, {
    model: 'acme/m',
    instructions: 'Be brief.',
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'Hi' }, { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' }] }, // prettier-ignore
      { type: 'function_call', call_id: 'call_1', name: 'look_up', arguments: '{"who":"a \\"friend\\""}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'nobody' },
    ],
  })
  t.equal(status, 200)
  const [key] = await under.gateway.keys.list()
  t.match(asked(service.requests), [
    {
      version: 1,
      event: 'input',
      request_id: requestId,
      key: { id: key!.id, org: 'default', team: null, user: null },
      model: 'acme/m',
      unreadable: ['input[0].content[1].image_url'],
    },
  ])
  const { texts } = asked(service.requests)[0]
  const place = (place: string): object[] => texts.filter((each: { place: string }) => each.place === place)
  t.match(place('instructions'), [{ role: 'system', fixed: false, text: 'Be brief.' }])
  t.match(place('input[0].content[0].text'), [{ role: 'user', fixed: false, text: 'Hi' }])
  t.match(place('input[1].name'), [{ role: 'assistant', fixed: true, text: 'look_up' }])
  t.match(place('input[1].arguments'), [{ text: 'who' }, { role: 'assistant', fixed: false, text: 'a "friend"' }])
  t.match(place('input[2].output'), [{ role: 'tool', fixed: false, text: 'nobody' }])
  t.same(texts.map(({ id }: { id: number }) => id), [...texts.keys()]) // prettier-ignore
})

t.test('its signature is that of Standard Webhooks', async t => {
  const client = new OpenAI({ apiKey: 'none', webhookSecret: null })
  for (const signing of [secret, 'a plain text as the secret']) {
    const { under, service } = await stage(t, () => allow, { secret: signing, headers: { Authorization: token } })
    await ask(under, { model: 'acme/m', input: 'naïve 🙂' })
    const { headers: received, text } = service.requests[0]!
    const headers = received as Record<string, string>
    t.equal(headers['authorization'], token)
    await client.webhooks.verifySignature(text, headers, signing)
    const forged = [text.replace('naïve', 'naive'), text] as const
    await t.rejects(client.webhooks.verifySignature(forged[0], headers, signing))
    await t.rejects(client.webhooks.verifySignature(forged[1], headers, 'another plain text secret'))
    const later = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) }
    await t.rejects(client.webhooks.verifySignature(text, later, signing))
  }
  const { under, service } = await stage(t, () => allow)
  await ask(under, { model: 'acme/m' })
  t.equal(service.requests[0]!.headers['webhook-signature'], undefined)
})

t.test('a refusal is a 400 with the message of the service', async t => {
  const messages: readonly (readonly [object, string | RegExp])[] = [
    [{ message: 'Not here.' }, 'Not here.'],
    [{}, 'The guardrail "moderation" refused this request.'],
    [{ message: '  ' }, 'The guardrail "moderation" refused this request.'],
    [{ message: `I know ${secret} and ${token}` }, 'I know *** and ***'],
    [{ message: 'x'.repeat(5_000) }, /^x{1000}$/],
  ]
  for (const [reply, message] of messages)
    for (const stream of [true, false]) {
      const { under, acme } = await stage(t, () => json({ verdict: 'refuse', ...reply }), { secret, headers: { authorization: token } })
      const { status, error, requestId } = await ask(under, { model: 'acme/m', stream })
      t.equal(status, 400)
      t.match(error, { code: 'invalid_prompt', param: 'input', message })
      t.equal(acme.calls.length, 0)
      const { notes } = await under.record(requestId)
      t.match(notes, [{ kind: 'guardrail', summary: { name: 'moderation', outcome: 'refused' } }])
    }
})

t.test('texts are replaced by their id, also inside the JSON of arguments', async t => {
  const shouting: Script = ({ body }) => {
    const { texts } = body as { texts: { id: number; text: string; fixed: boolean }[] }
    return json({
      verdict: 'replace',
      texts: texts.filter(({ text }) => text.includes('secret')).map(({ id, text }) => ({ id, text: text.replace('secret', '"***"') })),
    })
  }
  const { under, acme } = await stage(t, shouting)
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a": "my secret", "n": 1.0}' }
  const { response } = await ask(under, { model: 'acme/m', input: [{ role: 'user', content: 'a secret' }, call], instructions: 'plain' })
  t.equal(response.status, 'completed')
  t.match(acme.calls[0]!.request, {
    instructions: 'plain',
    input: [{ content: [{ text: 'a "***"' }] }, { arguments: '{"a": "my \\"***\\"", "n": 1.0}' }],
  })
})

t.test('decisions are checked too', async t => {
  const verdicts = [
    { verdict: 'allow' },
    { verdict: 'refuse', message: 'No.' },
    { verdict: 'replace', texts: [{ id: 0, text: 'So it is.' }] },
  ]
  const { under, service, one } = await stage(t, verdicts.map(json))
  t.equal((await decide(under)).status, 200)
  const { status, detail } = await decide(under)
  t.equal(status, 400)
  t.match(detail, { error_type: 'invalid_prompt', message: 'No.' })
  t.equal((await decide(under)).status, 200)
  t.same(one.calls.map(({ request }) => request.state), ['It is so.', 'So it is.']) // prettier-ignore
  t.match(asked(service.requests)[0], {
    event: 'decision',
    texts: [{ id: 0, place: 'state', fixed: false, text: 'It is so.' }, { fixed: true, text: 'yes' }, { text: 'Is it so?' }],
  })
})

t.test('with `output`, the service sees whole items of answers before the caller does', async t => {
  const events: readonly GenerationEvent[] = [
    { type: 'reasoning', form: 'summary', text: 'think' },
    text('Hel'),
    text('lo'),
    { type: 'tool-call', key: 'a', name: 'f', callId: 'call_a' },
    { type: 'tool-input', key: 'a', text: '{"x":1}' },
    stop,
  ]
  const verdicts = (...more: object[]): Script => [allow, ...more.map(json)]
  for (const stream of [true, false]) {
    const replaced = { verdict: 'replace', texts: [{ id: 0, text: 'Goodbye' }] }
    const { under, service } = await stage(
      t,
      verdicts({ verdict: 'allow' }, replaced, { verdict: 'allow' }),
      { output: true },
      () => events,
    )
    const { response } = await ask(under, { model: 'acme/m', stream })
    t.equal(said(response), 'Goodbye')
    t.match(asked(service.requests).slice(1), [
      { event: 'output', model: 'acme/m', texts: [{ id: 0, place: 'output[0].summary[0].text', role: 'assistant', text: 'think' }] },
      { event: 'output', texts: [{ id: 0, place: 'output[1].content[0].text', text: 'Hello' }] },
      { event: 'output', texts: [{ id: 0, place: 'output[2].arguments', text: '{"x":1}' }] },
    ])
    t.equal(new Set(service.requests.map(({ headers }) => headers['webhook-id'])).size, 4, 'every request has its own id')
  }
  const refusing = await stage(t, verdicts({ verdict: 'allow' }, { verdict: 'refuse' }), { output: true }, () => events)
  const reply = await refusing.under.request('/v1/responses', { body: { model: 'acme/m', input: 'hi', stream: true } })
  const got = await reply.text()
  t.match(checkStream(got).response, {
    status: 'failed',
    error: { code: 'invalid_prompt', message: 'The guardrail "moderation" refused this answer.' },
  })
  t.same(
    readEvents(got)
      .filter(({ type }) => type.endsWith('.delta'))
      .map(({ delta }) => delta),
    ['think'],
  )
})

const huge = { headers: { 'content-type': 'application/json' }, body: Array.from({ length: 40 }, () => ' '.repeat(1_048_576)) }

/** Mistakes of a service, and the message about each in the log. */
const failures: Readonly<Record<string, readonly [FakeReply, RegExp]>> = {
  'status 500': [{ status: 500, body: '{"verdict":"allow"}' }, /answered with status 500/],
  'status 204': [{ status: 204 }, /answered with status 204/],
  redirect: [{ status: 302, headers: { location: 'http://127.0.0.1:9/elsewhere' } }, /answered with status 302/],
  'redirect with the body': [{ status: 307, headers: { location: '/again' } }, /answered with status 307/],
  'invalid UTF-8': [{ body: Buffer.from([...Buffer.from('{"verdict":"allow","x":"'), 0xff, 0x22, 0x7d]) }, /is not UTF-8/],
  'not JSON': [{ body: '<html>allow</html>' }, /is not a JSON object/],
  empty: [{ body: '' }, /is not a JSON object/],
  'an array': [json([{ verdict: 'allow' }]), /is malformed at/],
  'no verdict': [json({ ok: true }), /is malformed at/],
  'unknown verdict': [json({ verdict: 'maybe' }), /is malformed at/],
  'replace without texts': [json({ verdict: 'replace' }), /is malformed at/],
  'replace nonsense': [json({ verdict: 'replace', texts: [{ id: '0', text: 'x' }] }), /is malformed at/],
  'replace another text': [json({ verdict: 'replace', texts: [{ id: 7, text: 'x' }] }), /replaced text 7, which it did not get/],
  'replace twice': [json({ verdict: 'replace', texts: [{ id: 0, text: 'x' }, { id: 0, text: 'y' }] }), /replaced text 0/], // prettier-ignore
  'huge reply': [huge, /more than 4194304 bytes/],
  'compressed reply': [
    { headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(64 * 1_048_576, ' ')) },
    /more than 4194304 bytes/,
  ],
  reset: [{ before: [reset] }, /cannot be reached/],
  'cut off': [{ body: ['{"verdict":', cut] }, /broke off the connection/],
  stalls: [{ before: [stall] }, /gave no verdict within|took longer than/],
  'stalls in the body': [{ body: ['{"verdict":', stall] }, /gave no verdict within|took longer than/],
}

for (const [name, [reply, reason]] of Object.entries(failures))
  t.test(`a service that fails (${name}) refuses or allows, as its option says`, async t => {
    const timeoutMs = /stalls/.test(name) ? 100 : 20_000
    for (const onFailure of ['refuse', 'allow'] as const)
      for (const stream of [true, false]) {
        const options = { onFailure, secret, headers: { authorization: token }, timeoutMs }
        const policy = { logging: { value: stream } }
        const { under, acme, service } = await stage(
          t,
          () => reply,
          options,
          () => hello,
          policy,
        )
        const answer = await ask(under, { model: 'acme/m', input: 'canary-prompt', stream })
        if (onFailure === 'allow') t.equal(said(answer.response), 'Hello')
        else {
          t.equal(answer.status, 503)
          t.equal(answer.error.message, 'The guardrail "moderation" failed, so this request was refused. Try again.')
          t.equal(acme.calls.length, 0)
        }
        // A time limit may be over before the request is out.
        if (timeoutMs > 100) t.equal(service.requests.length, name === 'reset' ? 2 : 1, 'only a broken connection is tried once more')
        else t.ok(service.requests.length <= 1, 'not tried again')
        if (name === 'huge reply') t.equal(await service.requests[0]!.closed, 'early', 'the rest is not read')
        const line = under.logs.find(each => each.includes('a guardrail failed'))!
        t.match(line, reason)
        t.match(line, /"guardrail":"moderation"/)
        for (const hidden of [secret, token, 'path-secret', 'canary-prompt', service.url]) t.notMatch(under.logs.join(), hidden)
        t.match((await under.record(answer.requestId)).notes, [{ kind: 'guardrail', summary: { name: 'moderation', outcome: 'failed' } }])
      }
  })

t.test('a service that sends byte after byte has no more time than any other', async t => {
  const steps = {
    *[Symbol.iterator]() {
      for (;;) yield* [' ', turn]
    },
  }
  const { under } = await stage(t, () => ({ body: steps as unknown as readonly Step[] }), { timeoutMs: 150 })
  t.equal((await ask(under, { model: 'acme/m' })).status, 503)
  t.match(under.logs.join(), /gave no verdict within|took longer than/)
})

t.test('nobody listens at the address', async t => {
  const { under, service } = await stage(t, [])
  await service.close()
  t.equal((await ask(under, { model: 'acme/m' })).status, 503)
  t.match(under.logs.join(), /cannot be reached \(ECONNREFUSED\)/)
})

t.test('a connection that the service has just closed is no failure', async t => {
  const { under, service } = await stage(t, [{ before: [reset] }, allow])
  t.equal((await ask(under, { model: 'acme/m' })).status, 200)
  t.equal(service.requests[0]!.headers['webhook-id'], service.requests[1]!.headers['webhook-id'])
})

t.test('an answer whose check fails is not delivered', async t => {
  for (const stream of [true, false])
    for (const onFailure of ['refuse', 'allow'] as const) {
      const { under } = await stage(t, [allow, { status: 500 }], { output: true, onFailure })
      const answer = await ask(under, { model: 'acme/m', stream })
      if (onFailure === 'allow') t.equal(said(answer.response), 'Hello')
      else if (stream) t.match(answer.response, { status: 'failed', output: [], error: { code: 'server_error' } })
      else t.equal(answer.status, 503)
    }
})

t.test('zero data retention and HIPAA mode never reach a service without the agreement', async t => {
  const zdr = { policy_url: 'https://example.com/zdr' }
  const hipaa = { baa_url: 'https://example.com/baa' }
  for (const field of ['zdr', 'hipaa'] as const)
    for (const [agreements, reached] of [
      [{}, false],
      [field === 'zdr' ? { hipaa } : { zdr }, false],
      [field === 'zdr' ? { zdr } : { hipaa }, true],
    ] as const)
      for (const stream of [true, false]) {
        const options = { ...agreements, output: true }
        const { under, service, acme } = await stage(
          t,
          () => allow,
          options,
          () => hello,
          { [field]: { value: true } },
        )
        const answer = await ask(under, { model: 'acme/m', stream })
        t.equal(answer.status, reached ? 200 : 422)
        t.equal(service.requests.length, reached ? 2 : 0)
        t.equal(acme.calls.length, reached ? 1 : 0)
        if (!reached) t.match(answer.error.message, /^The guardrail "moderation" sees content and has no/)
        t.equal((await decide(under)).status, 422)
        t.equal(service.requests.length, reached ? 2 : 0)
      }
})

t.test('it sees neither in requests nor in answers what redaction takes out, wherever it is listed', async t => {
  const echo: readonly GenerationEvent[] = [
    text('I will write to [EMA'),
    text('IL_1].'),
    { type: 'tool-call', key: 'a', name: 'send', callId: 'call_a' },
    { type: 'tool-input', key: 'a', text: '{"to":"[EMAIL_1]"}' },
    stop,
  ]
  for (const isFirst of [true, false])
    for (const stream of [true, false]) {
      const service = await fakeUpstream(() => allow)
      t.teardown(() => service.close())
      const hook = webhook({ url: service.url, onFailure: 'refuse', output: true })
      const guards = isFirst ? [hook, redaction({})] : [redaction({}), hook]
      const acme = witness('acme', () => echo)
      const under = await gateway({
        plugins: [...guards, acme.plugin],
        key: { policy: { redaction: { value: true }, logging: { value: true } } },
      })
      t.teardown(under.stop)
      const { response } = await ask(under, { model: 'acme/m', input: 'Write to jane.doe@example.com', stream })
      t.match(response.output, [
        { content: [{ text: 'I will write to jane.doe@example.com.' }] },
        { arguments: '{"to":"jane.doe@example.com"}' },
      ])
      t.equal(service.requests.length, 3)
      for (const { text } of service.requests) t.notMatch(text, 'jane.doe')
      t.match(service.requests[1]!.text, /write to \[EMAIL_1\]/)
    }
})

t.test('chosen by key, it sees the requests of these keys only', async t => {
  const { under, service } = await stage(t, () => allow, { applies: 'key' })
  await ask(under, { model: 'acme/m' })
  t.equal(service.requests.length, 0)
  const [key] = await under.gateway.keys.list()
  await under.gateway.keys.update(key!.id, { guardrails: ['moderation'] })
  await ask(under, { model: 'acme/m' })
  t.equal(service.requests.length, 1)
})

t.test('200 requests at once and a service that hangs: every one is refused in time, and nothing is left behind', async t => {
  const { under, service, acme } = await stage(t, () => ({ before: [stall] }), { timeoutMs: 1_500, output: true })
  const replies = await Promise.all(Array.from({ length: 200 }, (_, index) => ask(under, { model: 'acme/m', stream: index % 2 === 0 })))
  t.same([...new Set(replies.map(({ status }) => status))], [503])
  t.equal(acme.calls.length, 0)
  t.equal(under.gateway.liveRuns, 0)
  const ends = await Promise.all(service.requests.map(({ closed }) => closed))
  t.same([...new Set(ends)], ['early'], 'the gateway has closed every connection')
})

t.test('options that cannot be used end the start with a sentence', async t => {
  const url = 'https://moderation.example.com/check'
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{}, /url/],
    [{ url }, /onFailure/],
    [{ url, onFailure: 'ignore' }, /onFailure/],
    [{ url, onFailure: 'allow', timeout: 5 }, /timeout(?!Ms is)/],
    [{ url: 'moderation.example.com', onFailure: 'allow' }, /url/],
    [{ url: 'file:///etc/passwd', onFailure: 'allow' }, /url/],
    [
      { url: 'https://jane:demo-password@moderation.example.com/', onFailure: 'allow' },
      /webhook\(webhook\) has credentials in its option url/,
    ],
    [{ url, onFailure: 'allow', secret: 'short' }, /secret/],
    [{ url, onFailure: 'allow', secret: 'whsec_dG9vIHNob3J0' }, /a secret of fewer than 16 bytes/],
    [{ url, onFailure: 'allow', timeoutMs: 0 }, /timeoutMs/],
    [{ url, onFailure: 'allow', zdr: true }, /zdr/],
  ]
  for (const [options, message] of wrong) {
    const error = await gateway({ plugins: [webhook(options as OptionsInput<never>)] }).catch((thrown: Error) => thrown)
    t.match(error instanceof Error && error.message, message, JSON.stringify(options))
    t.notMatch(String(error), 'demo-password')
  }
  const twice = [webhook({ url, onFailure: 'allow' }), webhook({ url, onFailure: 'refuse' })]
  await t.rejects(gateway({ plugins: twice }), /webhook/)
  const named = [webhook({ url, onFailure: 'allow' }), webhook({ url, onFailure: 'refuse', name: 'zdr' })]
  await t.rejects(
    gateway({ plugins: [...named, guarding(undefined, { name: 'zdr' })] }),
    /adds guardrail "zdr", which plugin .* already added/,
  )
})
