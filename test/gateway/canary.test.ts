import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { LogLevel } from '../../core/foundation/logger.ts'
import { cut, fakeUpstream, reset, stall, type FakeReply, type FakeUpstream } from '../../core/testing/index.ts'
import consoleLog from '../../plugins/logs/console/index.ts'
import anthropic from '../../plugins/providers/anthropic/index.ts'
import openaiChat from '../../plugins/providers/openai-chat/index.ts'
import openaiResponses from '../../plugins/providers/openai-responses/index.ts'
import opentelemetry from '../../plugins/telemetry/opentelemetry/index.ts'
import prometheus from '../../plugins/telemetry/prometheus/index.ts'
import { listeningGateway, scripted } from '../kit/gateway.ts'

const upstreamKey = 'sk-canary-0123456789abcdefCANARY'
const headerSecret = 'hdr-canary-"quoted"-CANARY'
const prompt = 'prompt-canary-CANARY'

/** Every way in which a vendor can fail, each telling the key that it was sent, as some vendors do. */
const failures: Record<string, FakeReply> = {
  ...Object.fromEntries(
    [400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 529].map(status => [
      String(status),
      {
        status,
        body: JSON.stringify({
          error: { message: `Incorrect API key provided: ${upstreamKey}, header ${headerSecret}`, type: 'x', code: 'y' },
        }),
      },
    ]),
  ),
  text: { status: 500, body: `key ${upstreamKey}` },
  'not JSON': { status: 200, body: `<html>${upstreamKey}</html>` },
  stream: {
    headers: { 'content-type': 'text/event-stream' },
    body: `data: {"error":{"message":"bad ${upstreamKey}","type":"x","code":"y"}}\n\n`,
  },
  event: {
    headers: { 'content-type': 'text/event-stream' },
    body: `event: error\ndata: {"type":"error","error":{"type":"api_error","message":"bad ${upstreamKey}"}}\n\n`,
  },
  nonsense: { headers: { 'content-type': 'text/event-stream' }, body: `data: ${upstreamKey}\n\n` },
  cut: { headers: { 'content-type': 'text/event-stream' }, body: ['data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n', cut] },
  reset: { before: [reset], body: '' },
  stall: { before: [stall], body: '' },
}

async function everyFailure(upstream: FakeUpstream, collector: FakeUpstream, level: LogLevel): Promise<string> {
  const out: string[] = []
  const write = process.stdout.write
  process.stdout.write = ((text: string | Uint8Array, written?: () => void) => {
    out.push(String(text))
    written?.()
    return true
  }) as typeof process.stdout.write
  const options = { apiKey: upstreamKey, baseUrl: upstream.url, headers: { 'x-secret': headerSecret } }
  // Only where nothing ever comes: a busy machine makes other replies late too.
  const impatient = { ...options, timeouts: { firstEventMs: 40, totalMs: 40 } }
  const under = await listeningGateway({
    settings: { logLevel: level },
    key: { name: 'canary' },
    plugins: [
      openaiChat({ id: 'chat', ...options }),
      anthropic({ id: 'messages', ...options }),
      openaiResponses({ id: 'responses', ...options }),
      openaiChat({ id: 'impatient-chat', ...impatient }),
      anthropic({ id: 'impatient-messages', ...impatient }),
      openaiResponses({ id: 'impatient-responses', ...impatient }),
      consoleLog({ format: 'json' }),
      opentelemetry({ endpoint: collector.url, content: true, conventions: 'latest' }),
      prometheus({ open: true, labels: ['org', 'team', 'key'] }),
      scripted('broken', () => {
        throw new TypeError(`a bug that tells ${upstreamKey} and ${prompt}`)
      }),
    ],
  })
  const replies: string[] = []
  try {
    const ask = async (name: string, model: string, stream: boolean): Promise<void> => {
      const reply = await fetch(`${under.url}/v1/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${under.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: name === 'stall' && !model.startsWith('broken/') ? `impatient-${model}` : model,
          input: prompt,
          stream,
          instructions: `fail as ${name}`,
        }),
      })
      replies.push(JSON.stringify([...reply.headers]), await reply.text())
    }
    const models = ['chat/m', 'messages/m', 'responses/m', 'broken/m']
    await Promise.all(Object.keys(failures).flatMap(name => models.flatMap(model => [true, false].map(stream => ask(name, model, stream)))))
    for (const authorization of [`Bearer ${under.apiKey}0`, `Bearer ${under.apiKey.slice(0, -1)}`, `Basic ${under.apiKey}`]) {
      replies.push(
        await (await fetch(`${under.url}/v1/responses?key=${under.apiKey}`, { method: 'POST', headers: { authorization } })).text(),
      )
    }
    await under.recorded(Object.keys(failures).length * 8 + 3)
    const { app } = under.gateway.admin!
    for (const accept of ['text/plain', 'application/openmetrics-text']) {
      const scraped = await (await app.h3.request('/metrics', { headers: { accept } })).text()
      t.match(scraped, 'turnpike_errors_total{surface="responses"')
      out.push(scraped)
    }
  } finally {
    await under.stop()
    process.stdout.write = write
  }
  const [, , secret] = under.apiKey.split('_')
  const written = [...under.logs, ...out, JSON.stringify(under.records)].join('\n')
  t.ok(under.records.length > 100 && replies.length > 100)
  for (const [what, canary] of Object.entries({
    'the upstream key': upstreamKey,
    'a header': headerSecret,
    'a quoted header': JSON.stringify(headerSecret).slice(1, -1),
    'the gateway key': secret!,
  })) {
    t.notOk(written.includes(canary), `${what} is in no log and no record at ${level}`)
    t.notOk(replies.join('\n').includes(canary), `${what} is in no reply at ${level}`)
    t.notOk(telemetryOf(collector).includes(canary), `${what} is in no telemetry at ${level}`)
  }
  t.notOk(written.includes(prompt), `the prompt is in no log and no record at ${level}`)
  t.notOk(telemetryOf(collector).includes(prompt), `the prompt is in no telemetry at ${level}`)
  return written
}

function telemetryOf({ requests }: FakeUpstream): string {
  return requests.map(({ url, headers, text }) => `${url} ${JSON.stringify(headers)} ${text}`).join('\n')
}

t.test('secrets and content stay inside through every failure, at every level', async t => {
  const upstream = await fakeUpstream(({ text }) => failures[/fail as ([^"\\]+)/.exec(text)?.[1] ?? ''] ?? { status: 500, body: '' })
  const collector = await fakeUpstream(() => ({ status: 200 }))
  t.teardown(() => Promise.all([upstream.close(), collector.close()]))
  const folder = t.testdir()
  const before = process.cwd()
  process.chdir(folder)
  t.teardown(() => process.chdir(before))
  for (const level of ['debug', 'info', 'warn', 'error', 'silent'] as const) await everyFailure(upstream, collector, level)
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (file.isFile()) t.notMatch(readFileSync(join(file.parentPath, file.name), 'utf8'), /canary/i, `${file.name} holds no canary`)
  }
  t.ok(
    upstream.requests.some(({ headers }) => headers.authorization === `Bearer ${upstreamKey}`),
    'the canary was sent where it belongs',
  )
  for (const signal of ['traces', 'metrics', 'logs'])
    t.ok(
      collector.requests.some(({ url }) => url === `/v1/${signal}`),
      `${signal} left the gateway`,
    )
})
