import t from 'tap'
import { fakeUpstream } from '../../../../core/testing/index.ts'
import { ask } from '../../../kit/stage.ts'
import { FakeGoogle } from '../../../kit/fake-google.ts'
import { gateway } from '../../../kit/gateway.ts'
import { everyProvider } from './every-provider.ts'

// A part that a provider does not take is a 400 with the path in the caller's request, even if other items come before it.

const google = await FakeGoogle.start()
const providers = everyProvider(google)
const upstream = await fakeUpstream(({ url }) => {
  if (url.startsWith('/media/')) return { headers: { 'content-type': 'application/zip' }, body: 'PK\u0003\u0004\u0000\u00ff' }
  const { answer } = providers.find(({ name }) => name === url.split('/')[1])!
  return { headers: { 'content-type': 'application/json' }, body: answer.whole }
})
t.teardown(() => Promise.all([upstream.close(), google.close()]))

const text = { type: 'input_text', text: 'Look.' }
const zip = { type: 'input_file', filename: 'a.zip', file_data: 'data:application/zip;base64,UEsDBAD/' }
const parts: readonly object[] = [
  { type: 'input_image', file_id: 'file_1' },
  { type: 'input_image', image_url: 'data:image/png' },
  { type: 'input_file', file_id: 'file_1' },
  zip,
  { type: 'input_file', filename: 'a.zip', file_url: `${upstream.url}/media/a.zip` },
]
const call = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' }
const question = { role: 'user', content: 'Hello' }

/** Inputs that end in a part, and its path. */
const placed: readonly (readonly [(part: object) => readonly object[], string])[] = [
  [part => [question, { role: 'user', content: [text, part] }], 'input[1].content[1]'],
  [part => [question, { role: 'system', content: [text, text, part] }], 'input[1].content[2]'],
  [part => [question, call, { type: 'function_call_output', call_id: 'call_1', output: [part] }], 'input[2].output[0]'],
]

for (const { name, plugin, model, bridged } of providers) {
  t.test(name, async t => {
    const mediaHosts = [new URL(upstream.url).host]
    const key = { name: 'test', user: 'jane', policy: { logging: { value: true } } }
    const under = await gateway({
      plugins: [plugin({ id: name, baseUrl: `${upstream.url}/${name}` })],
      settings: { mediaHosts },
      key,
    })
    t.teardown(under.stop)
    const request = { model: `${name}/${model}`, tools: [{ type: 'function', name: 'look' }] }
    const { response: earlier } = await ask(under, { ...request, input: 'Hello' })
    let refused = 0
    for (const previous_response_id of [undefined, earlier.id])
      for (const part of parts)
        for (const [inputOf, path] of placed) {
          const { status, error } = await ask(under, { ...request, previous_response_id, input: inputOf(part) })
          // A package's own refusal names no part.
          if (status === 200 || (bridged && error.param === null)) continue
          refused += 1
          t.match({ status, ...error }, { status: 400, type: 'invalid_request_error', param: path }, JSON.stringify(part))
        }
    if (!name.endsWith('responses')) t.ok(refused > 0, `${refused} are refused`)

    const foreign = await ask(under, { ...request, input: [question, { type: 'mcp_list_tools', id: 'mcp_1' }] })
    if (foreign.status !== 200) t.match(foreign.error, { param: 'input[1]' })
  })
}
