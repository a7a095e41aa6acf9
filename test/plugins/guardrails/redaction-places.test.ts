import t from 'tap'
import { fakeUpstream, type FakeUpstream } from '../../../core/testing/index.ts'
import { requestBodySchema } from '../../../plugins/endpoints/responses/request-body.ts'
import redaction from '../../../plugins/guardrails/redaction/index.ts'
import { gateway, type GatewayUnderTest } from '../../kit/gateway.ts'
import { pathsOf, variantsOf, memberRules, type SchemaNode, type SchemaPath, type Step } from '../../kit/schema-paths.ts'
import { anthropicReply, chatReply, responsesReply } from '../../kit/vendor-replies.ts'
import { pluginOf } from '../../kit/wire-plugins.ts'

// Personal data at every place of a request that its schema has, so that a new place is searched, or fails this test.

const mail = 'jane.canary@example.com'
const card = 4111111111111111
/** For places that allow letters and digits only. */
const account = 'GB82WEST12345698765432'
const leaks = /canary|4111111111111111|GB82WEST/i

const unknown = {
  [mail]: mail,
  GB82WEST12345698765432: card,
  list: [mail, card, [card, { deep: mail }]],
  properties: { 'jane canary': { default: `{"nested":"jane.canary\\u0040example.com","n":${card}}`, enum: [card, mail] } },
}
/** Any JSON, with members whose names mean something elsewhere. */
const anything = {
  ...unknown,
  type: mail,
  name: mail,
  id: mail,
  status: mail,
  role: mail,
  namespace: mail,
  image_url: mail,
  file_data: mail,
  encrypted_content: mail,
  logprobs: [{ token: mail }],
}

/** The smallest value that a schema accepts, with personal data at the end of the steps. */
function valueWith(schema: SchemaNode, [step, ...rest]: readonly Step[], name: string): unknown {
  const variants = variantsOf(schema)
  if (variants.length > 0) {
    const isChosen = step !== undefined && 'variant' in step
    return isChosen ? valueWith(variants[step.variant]!, rest, name) : valueWith(variants[0]!, step ? [step, ...rest] : [], name)
  }
  if (schema.type === 'array') return step ? [valueWith(schema.items!, rest, name)] : schema.minItems ? [benign(schema.items!, name)] : []
  if (schema.type !== 'object') return step ? undefined : dataFor(schema, name)
  if (!step && !schema.properties && !schema.additionalProperties) return { ...anything }
  const value: Record<string, unknown> = {}
  const wanted = step && 'member' in step ? step.member : undefined
  const rules = memberRules(schema)
  const ruled = rules.find(members => wanted !== undefined && members.includes(wanted)) ?? rules[0] ?? []
  for (const member of new Set([...(schema.required ?? []), ...ruled])) value[member] = benign(schema.properties?.[member] ?? {}, member)
  if (wanted !== undefined) value[wanted] = valueWith(schema.properties![wanted]!, rest, wanted)
  else if (step && 'key' in step) value[mail] = valueWith(schema.additionalProperties!, rest, name)
  else if (schema.properties) Object.assign(value, { surprise: unknown, [mail]: card })
  else value[mail] = benign(schema.additionalProperties!, name)
  // Members that the protocol does not know are allowed, in items and tools of every type.
  if (wanted === 'type') Object.assign(value, { surprise: unknown, result: mail, [mail]: card })
  return value
}

function dataFor(schema: SchemaNode, name: string): unknown {
  if (schema.type === 'string' && schema.const === undefined && !schema.enum) {
    if (name === 'file_data') return `data:text/plain;base64,${Buffer.from(`mail ${mail}`).toString('base64')}`
    if (name.endsWith('_url')) return `https://media.example.com/?user=${encodeURIComponent(mail)}`
    return schema.pattern !== undefined || name === 'call_id' ? account : mail
  }
  return benign(schema, name)
}

function benign(schema: SchemaNode, name: string): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const [variant] = variantsOf(schema)
  if (variant) return benign(variant, name)
  switch (schema.type) {
    case 'object':
      return Object.fromEntries((schema.required ?? []).map(member => [member, benign(schema.properties?.[member] ?? {}, member)]))
    case 'array':
      return schema.minItems ? [benign(schema.items!, name)] : []
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    default:
      return name === 'interval'
        ? '1h'
        : name === 'file_data'
          ? 'data:text/plain;base64,aGk='
          : name === 'image_url'
            ? 'https://media.example.com/a'
            : 'word'
  }
}

const question = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }

/** Makes a request with this place and the other members that it needs. */
function requestWith(path: SchemaPath): Record<string, unknown> {
  const [top, ...rest] = path.steps
  const member = (top as { readonly member: string }).member
  const value = valueWith((requestBodySchema.properties as Readonly<Record<string, SchemaNode>>)[member]!, rest, member)
  const body: Record<string, unknown> = { model: 'vendor/m', input: [question], [member]: value }
  if (member === 'input') {
    const items = value as readonly Record<string, unknown>[]
    const calls = items.flatMap(({ type, call_id }): object[] =>
      type === 'function_call_output'
        ? [{ type: 'function_call', call_id, name: 'look', arguments: '{}' }]
        : type === 'custom_tool_call_output'
          ? [{ type: 'custom_tool_call', call_id, name: 'look', input: '' }]
          : [],
    )
    body['input'] = [...calls, ...items, question]
  }
  if (member === 'model') body['model'] = `vendor/${mail}`
  if (member === 'tool_choice') body['tools'] = [{ type: 'function', name: 'word' }]
  return body
}

/** Places that make the gateway refuse the request before any guardrail, or that it does not support. */
const refusedAnyway = new Set(['previous_response_id', 'conversation', 'prompt', 'background', 'input[]<item_reference>', 'routing'])

const wires = { 'openai-responses': responsesReply, 'openai-chat': chatReply, anthropic: anthropicReply } as const

for (const [wire, reply] of Object.entries(wires)) {
  t.test(`no place of a request leads past redaction: ${wire}`, async t => {
    const upstream: FakeUpstream = await fakeUpstream(reply)
    t.teardown(() => upstream.close())
    const policy = { redaction: { value: true, settings: { unreadable: 'pass', deny: ['jane canary'] } } }
    const vendor = pluginOf[wire as keyof typeof wires]('vendor', upstream.url, 'fake')
    const under: GatewayUnderTest = await gateway({ plugins: [redaction({}), vendor], key: { name: 'demo', policy } })
    t.teardown(under.stop)
    let sent = 0
    let refused = 0
    const paths = pathsOf(requestBodySchema)
    for (const path of paths) {
      const before = upstream.requests.length
      const body = requestWith(path)
      const answer = await under.request('/v1/responses', { body })
      const text = await answer.text()
      const received = upstream.requests.slice(before).map(({ url, headers, text: bytes }) => `${url} ${JSON.stringify(headers)} ${bytes}`)
      for (const bytes of received) {
        const decoded = bytes.replaceAll(/data:text\/plain;base64,([\w+/=]+)/g, (_, base64) => Buffer.from(base64, 'base64').toString())
        t.notMatch(decodeURIComponent(decoded.replaceAll(/%(?![0-9a-f]{2})/gi, '%25')), leaks, `${path.name}: ${JSON.stringify(body)}`)
      }
      if (received.length > 0) sent++
      else if (/contains personal data|cannot be searched/.test(text)) {
        refused++
        t.notMatch(text, leaks, `the error about ${path.name} has no value`)
      } else if (![...refusedAnyway].some(start => path.name.startsWith(start))) {
        // The vendor cannot say it, or another rule refuses it: nothing was sent.
        t.ok(answer.status === 400 || answer.status === 422, `${path.name}: ${answer.status} ${text.slice(0, 300)}`)
      }
    }
    t.ok(sent > paths.length / 2, `${sent} of ${paths.length} requests were sent`)
    t.ok(refused > 5, `${refused} were refused by redaction`)
    const written = [...under.logs, JSON.stringify(under.records.map(({ requestedModel: _, ...record }) => record))].join('\n')
    t.notMatch(written, leaks, 'no log and no record has a value')
  })
}
