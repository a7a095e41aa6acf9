import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import type { JsonObject } from '../../../core/index.ts'
import { fakeUpstream, readEvents, sseFrame, type ReceivedRequest } from '../../../core/testing/index.ts'
import { hosts, type Host, type HostName } from '../../../plugins/providers/openai-chat/hosts.ts'
import openaiChat from '../../../plugins/providers/openai-chat/index.ts'
import { recordedHosts } from '../../../scripts/recorded-hosts.ts'
import { gateway } from '../../kit/gateway.ts'
import { recordings, recordingsAbsent } from '../../kit/recordings.ts'
import { defaults } from '../../../config/defaults.ts'

const table = Object.entries<Host>(hosts) as [HostName, Host][]
const apiKey = 'sk-demo-hosts'
const account = 'demo-account'

/** The path of a host's own address, as the vendor writes it. */
function pathOf({ baseUrl }: Host): string {
  return baseUrl === undefined ? '/v1' : new URL(baseUrl.replace('{account}', account)).pathname.replace(/\/$/, '')
}

const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }

function answer({ body }: ReceivedRequest): { readonly headers: Record<string, string>; readonly body: string } {
  if (!(body as JsonObject)['stream']) {
    const choice = { index: 0, message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' }
    return { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ model: 'demo', choices: [choice] }) }
  }
  const said = { index: 0, delta: { tool_calls: [{ index: 0, ...call }] } }
  const end = { index: 0, delta: {}, finish_reason: 'tool_calls' }
  return {
    headers: { 'content-type': 'text/event-stream' },
    body: `${sseFrame({ model: 'demo', choices: [said] })}${sseFrame({ choices: [end] })}${sseFrame('[DONE]')}`,
  }
}

/** Something of everything in which hosts differ. */
function question(model: string, { files, without = [] }: Host): JsonObject {
  const file = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' }
  return {
    model,
    stream: true,
    input: [
      { role: 'developer', content: 'Be short.' },
      { role: 'user', content: [{ type: 'input_text', text: 'Hello' }, ...(files ? [file] : [])] },
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
      { type: 'function_call', call_id: 'call_of_another_vendor_with_a_long_id_0001', name: 'weather', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_of_another_vendor_with_a_long_id_0001', output: 'Rain' },
      { role: 'user', content: 'And now?' },
      { role: 'user', content: 'Well?' },
    ],
    tools: [
      { type: 'function', name: 'weather', parameters: { type: 'object', properties: {} }, strict: true },
      { type: 'custom', name: 'note' },
    ],
    tool_choice: { type: 'function', name: 'weather' },
    parallel_tool_calls: false,
    reasoning: { effort: 'low' },
    max_output_tokens: 100,
    presence_penalty: 0.5,
    frequency_penalty: 0.5,
    top_logprobs: 2,
    prompt_cache_key: 'demo',
    text: {
      verbosity: 'low',
      ...(!without.includes('response_format') && { format: { type: 'json_schema', name: 'demo', schema: { type: 'object' } } }),
    },
  }
}

interface Sent extends JsonObject {
  readonly messages: readonly (JsonObject & { readonly role: string; readonly content: unknown })[]
  readonly tools?: readonly { readonly type: string; readonly function?: JsonObject }[]
  readonly response_format?: { readonly type: string }
}

/** The members of the request that do not have the form that the host's quirks require, by name. */
function strays(host: Host, sent: Sent): string[] {
  const { without = [], extensions = [] } = host
  const has = (member: string): boolean => sent[member] !== undefined
  const assistant = sent.messages.find(({ role }) => role === 'assistant')!
  const callId = (assistant['tool_calls'] as readonly { readonly id: string }[])[0]!.id
  const weather = sent.tools?.find(tool => tool.function?.['name'] === 'weather')?.function
  const users = sent.messages.filter(({ role }) => role === 'user')
  const expected: readonly (readonly [string, boolean])[] = [
    ['max_completion_tokens', has('max_completion_tokens') === (host.renamed?.max_tokens === 'max_completion_tokens')],
    ['max_tokens', has('max_tokens') === (host.renamed?.max_tokens === undefined)],
    ['presence_penalty', has('presence_penalty') !== without.includes('presence_penalty')],
    ['frequency_penalty', has('frequency_penalty') !== without.includes('frequency_penalty')],
    ['parallel_tool_calls', has('parallel_tool_calls') !== without.includes('parallel_tool_calls')],
    ['logprobs', has('logprobs') !== without.includes('logprobs')],
    ['stream', has('stream') !== (host.wholeWithTools === true)],
    ['stream_options', has('stream_options') === (has('stream') && !without.includes('stream_options'))],
    ['strict', (weather?.['strict'] !== undefined) !== without.includes('strict')],
    ['developer', (sent.messages[0]!.role === 'developer') === (host.developerRole === true)],
    ['custom tools', (sent.tools?.some(({ type }) => type === 'custom') ?? false) === (host.customTools === true)],
    ['tool_choice', isDeepStrictEqual(sent['tool_choice'], choiceOf(host))],
    ['effort', isDeepStrictEqual(effortIn(sent), effortOf(host))],
    ['response_format', sent.response_format?.type === formatOf(host)],
    ['reasoning', isDeepStrictEqual(thoughtIn(assistant), thoughtOf(host))],
    ['call id', host.callIds ? host.callIds.test(callId) : callId === 'call_of_another_vendor_with_a_long_id_0001'],
    ['file', JSON.stringify(users[0]).includes('a.pdf') === (host.files !== undefined)],
    ['alternating', users.length === (host.alternating ? 2 : 3)],
    ...(['prompt_cache_key', 'verbosity', 'store'] as const).map(member => [member, has(member) === extensions.includes(member)] as const),
  ]
  return expected.flatMap(([name, isRight]) => (isRight ? [] : [`${name} in ${JSON.stringify(sent)}`]))
}

function choiceOf({ toolChoice }: Host): unknown {
  if (toolChoice === 'auto') return 'auto'
  return toolChoice === 'modes' ? 'required' : { type: 'function', function: { name: 'weather' } }
}

function effortIn({ reasoning_effort, reasoning, thinking, enable_thinking }: Sent): unknown {
  return JSON.parse(JSON.stringify({ reasoning_effort, reasoning, thinking, enable_thinking }))
}

function effortOf({ effort, efforts, without = [] }: Host): unknown {
  const level = without.includes('reasoning_effort') ? {} : { reasoning_effort: efforts && !efforts.includes('low') ? 'high' : 'low' }
  if (effort === 'reasoning') return { reasoning: { effort: 'low' } }
  if (effort === 'enable_thinking') return { enable_thinking: true }
  return effort === 'thinking' ? { thinking: { type: 'enabled' }, ...level } : level
}

function formatOf({ without = [] }: Host): string | undefined {
  if (without.includes('response_format')) return undefined
  return without.includes('json_schema') ? 'json_object' : 'json_schema'
}

function thoughtIn({ reasoning, reasoning_content, content }: JsonObject): unknown {
  return JSON.parse(JSON.stringify({ reasoning, reasoning_content, parts: Array.isArray(content) ? content : undefined }))
}

function thoughtOf({ reasoning }: Host): unknown {
  if (reasoning === 'thinking') return { parts: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }
  if (reasoning === undefined) return {}
  return reasoning === 'reasoning_content' ? { reasoning_content: 'Hm.' } : { reasoning: 'Hm.' }
}

t.test('one tool call through every row', async t => {
  const upstream = await fakeUpstream(answer)
  t.teardown(() => upstream.close())
  const plugins = table.map(([name, host]) =>
    openaiChat({ host: name, apiKey, baseUrl: `${upstream.url}/${name}${pathOf(host)}`, account }),
  )
  const under = await gateway({ plugins })
  t.teardown(() => under.stop())
  for (const [name, host] of table) {
    const reply = await under.request('/v1/responses', { body: question(`${name}/demo`, host) })
    const text = await reply.text()
    const { method, url, headers, body } = upstream.requests.at(-1)!
    t.strictSame([method, url, headers.authorization], ['POST', `/${name}${pathOf(host)}/chat/completions`, `Bearer ${apiKey}`], name)
    t.strictSame(strays(host, body as Sent), [], `${name}: its quirks`)
    const { response } = readEvents(text).at(-1)! as unknown as { readonly response: { readonly output: readonly JsonObject[] } }
    t.match(response.output, [{ type: 'function_call', name: 'weather', arguments: '{"city":"Oslo"}' }], `${name} answers`)
    const warned = reply.headers.get('x-gateway-warnings') ?? ''
    for (const [member, param] of Object.entries(told))
      if (host.without?.includes(member as never) && !(member === 'reasoning_effort' && host.effort))
        t.ok(warned.includes(param), `${name} tells that ${param} was left out: ${warned}`)
  }
  t.equal(upstream.requests.length, table.length)
})

/** How the caller hears of what a host does not take. */
const told = {
  frequency_penalty: 'frequency_penalty',
  presence_penalty: 'presence_penalty',
  parallel_tool_calls: 'parallel_tool_calls',
  logprobs: 'top_logprobs',
  reasoning_effort: 'reasoning.effort',
  strict: 'tools[].strict',
} as const

t.test('where a host is found', async t => {
  t.ok(table.length > 60, `${table.length} hosts`)
  for (const [name, { source, baseUrl, account, keyVariable, explicit }] of table) {
    t.match(name, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    t.match(source, /^https:\/\//, `${name} has a source`)
    const isLocal = baseUrl === undefined || baseUrl.startsWith('http://127.0.0.1')
    t.equal(keyVariable === undefined, isLocal, `${name}: a key, unless it is one's own server`)
    if (!isLocal) t.match(baseUrl, /^https:\/\/[^/]+(\/[^/]+)*$/, name)
    t.equal(account !== undefined, baseUrl?.includes('{account}') ?? false, `${name}: says what its account is`)
    t.ok(explicit === undefined || keyVariable !== undefined)
  }
  const implicit = table.flatMap(([, { keyVariable, explicit }]) => (keyVariable === undefined || explicit ? [] : [keyVariable]))
  t.strictSame(implicit, [...new Set(implicit)], 'no variable brings two hosts')
})

t.test('an account in the address', async t => {
  await using upstream = await fakeUpstream(answer)
  await t.rejects(gateway({ plugins: [openaiChat({ host: 'cloudflare', apiKey })] }), {
    message: /cloudflare.* needs the option account, the account id in its address\./,
  })
  await t.rejects(gateway({ plugins: [openaiChat({ host: 'gpustack', apiKey })] }), { message: /needs the option baseUrl/ })
  const baseUrl = `${upstream.url}/accounts/{account}/v1`
  const under = await gateway({ plugins: [openaiChat({ host: 'databricks', apiKey, baseUrl, account: 'https://demo.example.com/' })] })
  await under.request('/v1/responses', { body: { model: 'databricks/demo', input: 'Hi', tools: [{ type: 'function', name: 'weather' }] } })
  t.equal(upstream.requests[0]!.url, '/accounts/demo.example.com/v1/chat/completions')
  await under.stop()
})

t.test('defaults bring every host whose key is there, and none whose key serves other ends', async t => {
  const ownPlugins: ReadonlySet<string> = new Set(['openai', 'mistral'])
  const variables = table.flatMap(([, { keyVariable, account }]) => [
    ...(keyVariable ? [keyVariable] : []),
    ...(account ? [account.variable] : []),
  ])
  const instances = async (): Promise<readonly string[]> => {
    const uses = (await Promise.all(defaults({ without: ['ollama'] }))).filter(use => use !== false)
    return uses.flatMap(({ plugin, options }) => (plugin.name === 'openai-chat' ? [plugin.instance!(options as never)] : []))
  }
  const kept = variables.map(name => [name, process.env[name]] as const)
  t.teardown(() => {
    for (const [name, value] of kept)
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  })
  for (const name of variables) delete process.env[name]
  t.strictSame(await instances(), [])
  for (const name of variables) process.env[name] = 'demo'
  const expected = table.filter(([name, { keyVariable, explicit }]) => !ownPlugins.has(name) && keyVariable !== undefined && !explicit)
  t.strictSame(
    await instances(),
    expected.map(([name]) => name),
  )
  delete process.env['CLOUDFLARE_ACCOUNT_ID']
  t.notOk((await instances()).includes('cloudflare'), 'a key without the account is not enough')
})

t.test('the page tells which hosts were checked against recorded replies', { skip: recordingsAbsent }, async t => {
  const aliases: Readonly<Record<string, string>> = {
    'openai-chat': 'openai',
    'vercel-gateway': 'vercel',
    'bedrock-openai-chat': 'bedrock-compat',
  }
  const vendors = new Set(recordings().flatMap(({ api, vendor }) => (api === 'chat' ? [vendor] : [])))
  const names = [...vendors].map(
    vendor => aliases[vendor] ?? (vendor === 'ollama-openai-compat' ? 'ollama' : vendor.replace('-openai-compat', '-compat')),
  )
  t.strictSame(names.filter(name => name in hosts).sort(), [...recordedHosts].sort())
  t.strictSame(
    names.filter(name => !(name in hosts)),
    ['azure-openai-chat'],
  )
})
