import t from 'tap'
import ask from '../../../examples/ask/src/index.ts'
import acme from '../../../examples/custom-provider/acme.ts'
import weather from '../../../examples/custom-tool/weather.ts'
import whoami from '../../../examples/small-plugins/route.ts'
import alertWebhook from '../../../plugins/alerts/webhook/index.ts'
import admin from '../../../plugins/endpoints/admin/index.ts'
import conversations from '../../../plugins/endpoints/conversations/index.ts'
import mcp from '../../../plugins/tools/mcp/index.ts'
import { gateway } from '../../kit/gateway.ts'
import { surfaces } from '../../kit/surfaces.ts'
import { codeBlocks, placeOf } from './code-block.ts'
import { bare, commandsOf, type Words } from './shell-commands.ts'

interface Shown {
  readonly place: string
  readonly method: string
  readonly path: string
  readonly body: string | undefined
}

const blocks = codeBlocks()

/** What the `curl` commands of the pages send. */
const curled = blocks
  .filter(({ language }) => language === 'bash' || language === 'sh')
  .flatMap(block => commandsOf(block.text).flatMap(words => sentBy(bare(words)).map(sent => ({ place: placeOf(block), ...sent }))))

function sentBy(words: Words): readonly Omit<Shown, 'place'>[] {
  if (words[0] !== 'curl') return []
  const address = words.find(word => /^(?:https?:\/\/|\$BASE\/)/.test(word))!
  const valueOf = (...names: readonly string[]): string | undefined => words[words.findIndex(word => names.includes(word)) + 1]
  const body = words.some(word => word === '-d' || word === '--data') ? valueOf('-d', '--data') : undefined
  const method = words.includes('-X') ? valueOf('-X')! : body === undefined ? 'GET' : 'POST'
  return [{ method, path: address.replace(/^(?:https?:\/\/[^/]+|\$BASE)/, ''), body }]
}

/** Blocks of JSON that are a whole request: they name a model and what it gets, and are no answer. */
const written = blocks.flatMap(block => {
  const body = block.language === 'json' && isRequest(block.text) ? block.text : undefined
  if (body === undefined) return []
  return { place: placeOf(block), method: 'POST', path: /"questions":/.test(body) ? '/v1/decisions' : '/v1/responses', body }
})

function isRequest(text: string): boolean {
  return /^\s*\{\s*"model":/.test(text) && /"input": ["[]/.test(text)
}

t.test('every request of the pages has a path that is served and a body that is taken', async t => {
  // Two surfaces may be of one plugin, and the gateway under test has that of responses.
  const used = new Map(surfaces.map(({ use }) => use({})).map(use => [use.plugin.name, use]))
  const others = [...used.values()].filter(({ plugin }) => plugin.name !== 'responses')
  const under = await gateway({
    plugins: [
      ...others,
      conversations({}),
      admin({}),
      alertWebhook({}),
      mcp({ servers: [{ label: 'tickets', url: 'https://mcp.example.com/mcp' }], origins: [{ origin: 'https://mcp.example.org' }] }),
      acme({ apiKey: 'sk-demo', id: 'my-vendor', baseUrl: 'http://127.0.0.1:1' }),
      weather({ baseUrl: 'http://127.0.0.1:1' }),
      ask({}),
      whoami({}),
    ],
    key: { policy: { logging: { value: true } } },
  })
  t.teardown(under.stop)
  await refusalOf('POST', '/admin/v1/orgs', '{"id": "acme", "name": "Acme"}')
  t.ok(curled.length > 15 && written.length > 1, `${curled.length} of curl, ${written.length} in JSON`)
  const wrong: string[] = []
  for (const { place, method, path, body } of [...curled, ...written]) {
    const problem = await refusalOf(method, path, body)
    if (problem !== undefined) wrong.push(`${place}: ${method} ${path}: ${problem}`)
  }
  t.same(wrong, [])
  t.match(await refusalOf('POST', '/v1/response', '{}'), /Nothing is served/)
  t.match(await refusalOf('POST', '/v1/responses', '{"model": "sandbox/echo", "inptu": "Hello"}'), /parameter: 'input'/)

  async function refusalOf(method: string, path: string, shown: string | undefined): Promise<string | undefined> {
    const body = shown?.replaceAll('_…', '_0123')
    const headers = { ...(body !== undefined && { 'content-type': 'application/json' }) }
    const reply = path.startsWith('/admin/')
      ? await under.gateway.admin!.app.h3.request(path, {
          method,
          headers: { ...headers, authorization: `Bearer ${under.gateway.admin!.localToken}` },
          ...(body !== undefined && { body }),
        })
      : await under.request(path, { method, headers, ...(body !== undefined && { body }) })
    const text = await reply.text()
    // The models, answers and vendors of readers are not there.
    const isTaken = reply.ok || /does not exist here|with id '\w+' not found|failed: The connection/.test(text)
    return isTaken ? undefined : `${reply.status} ${text}`
  }
})
