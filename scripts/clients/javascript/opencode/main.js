import { Agent } from '../agent.js'
import * as kit from '../checks.js'
import { absent, check, equal, holds, model } from '../checks.js'

const names = ['plain', 'failing-400', 'busy-429', 'busy-500', 'slow'].map(what => model(what))
const described = { attachment: true, tool_call: true, modalities: { input: ['text', 'image'], output: ['text'] } }

/** Its configuration for one key. No updates, no lists of models from elsewhere. */
function configuration(apiKey) {
  const provider = {
    // It has this package built in.
    npm: '@ai-sdk/openai-compatible',
    options: { baseURL: `${kit.url}/v1`, apiKey },
    models: Object.fromEntries(names.map(name => [name, described])),
  }
  return JSON.stringify({
    provider: { turnpike: provider },
    autoupdate: false,
    share: 'disabled',
    permission: { external_directory: 'allow' },
  })
}

const opencode = new Agent('node_modules/.bin/opencode', {
  OPENCODE_CONFIG_CONTENT: configuration(kit.key),
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
})
const asking = (prompt, what = 'plain') => ['run', '--pure', '--format', 'json', '-m', `turnpike/${model(what)}`, prompt]

async function ask(prompt, { what, args = [], environment } = {}) {
  const { stdout, stderr } = await opencode.run([...asking(prompt, what), ...args], environment)
  const events = stdout.split('\n').flatMap(line => (line.startsWith('{') ? [JSON.parse(line)] : []))
  const parts = events.flatMap(({ part }) => part ?? [])
  const text = parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n')
  return { text, parts, errors: events.filter(({ type }) => type === 'error'), stderr: stderr.slice(-500) }
}

await check('stream', async () => {
  const { text, parts, stderr } = await ask(kit.hello)
  holds(text === kit.greeting, kit.greeting, { text, stderr })
  const { tokens } = parts.find(({ type }) => type === 'step-finish')
  equal([tokens.input, tokens.output], [9, 4], 'the usage')
})

absent('text', 'it always streams')

await check('tools', async () => {
  const { text, parts } = await ask(`Read the files ${opencode.one} and ${opencode.two}`)
  equal(parts.filter(({ type }) => type === 'tool').length, 2, 'the number of calls')
  holds(text.includes('the first file') && text.includes('the second file'), 'what both files hold', text)
})

absent('structured', 'not from its command line')

await check('images', async () => {
  const { text, stderr } = await ask(kit.imageQuestion, { args: ['-f', opencode.picture] })
  holds(/I see image\/\w+ of \d+ bytes/.test(text), 'the picture', { text, stderr })
})

await check('errors', async () => {
  const stranger = await ask(kit.hello, { environment: { OPENCODE_CONFIG_CONTENT: configuration('tp_demo_wrong') } })
  holds(JSON.stringify(stranger.errors).includes('API key'), 'a refusal', stranger)
  const bad = await ask(kit.hello, { what: 'failing-400' })
  holds(bad.errors.length > 0 && bad.text === '', 'a failure', bad)
})

await check('retries', async () => {
  const { text, stderr } = await ask(kit.hello, { what: 'busy-429' })
  holds(text === kit.greeting, kit.greeting, { text, stderr })
})

absent('abort', 'it shows no pieces by which one could stop it in time')
