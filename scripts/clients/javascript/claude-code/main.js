import { Agent } from '../agent.js'
import * as kit from '../checks.js'
import { check, equal, holds, model } from '../checks.js'

// No traffic beyond the gateway.
const claude = new Agent('node_modules/.bin/claude', {
  ANTHROPIC_BASE_URL: kit.url,
  ANTHROPIC_AUTH_TOKEN: kit.key,
  ANTHROPIC_DEFAULT_HAIKU_MODEL: model('small'),
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
})
const asking = (prompt, what) => ['-p', prompt, '--model', model(what), '--no-session-persistence']

const once = { CLAUDE_CODE_MAX_RETRIES: '0' }

/** The report of one prompt. */
async function ask(prompt, { what = 'plain', args = [], environment = {} } = {}) {
  const { code, stdout, stderr } = await claude.run([...asking(prompt, what), '--output-format', 'json', ...args], environment)
  const line = stdout.split('\n').findLast(each => each.startsWith('{'))
  if (line === undefined) throw new Error(`Expected a report, got ${code}: ${stdout} ${stderr}`)
  return { code, ...JSON.parse(line) }
}

await check('text', async () => {
  const { result, usage } = await ask(kit.hello)
  equal(result, kit.greeting)
  equal([usage.input_tokens, usage.output_tokens], [9, 4], 'the usage')
})

await check('stream', async () => {
  const { stdout } = await claude.run([...asking(kit.hello), '--output-format', 'stream-json', '--verbose', '--include-partial-messages'])
  const events = stdout.split('\n').flatMap(line => (line.startsWith('{') ? [JSON.parse(line)] : []))
  const pieces = events.flatMap(({ event }) => event?.delta?.text ?? [])
  equal(pieces.join(''), kit.greeting)
  holds(pieces.length > 1, 'several pieces', pieces)
})

await check('tools', async () => {
  const { result, num_turns: turns } = await ask(`Read the files ${claude.one} and ${claude.two}`, { args: ['--allowedTools', 'Read'] })
  holds(result.includes('the first file') && result.includes('the second file'), 'what both files hold', result)
  holds(turns > 1, 'several turns', turns)
})

await check('structured', async () => {
  const { structured_output: output } = await ask(kit.extraction, { args: ['--json-schema', JSON.stringify(kit.extractionSchema)] })
  equal(output, { city: 'Oslo', degrees: 21 })
})

await check('images', async () => {
  const { result } = await ask(`Read the file ${claude.picture}`, { args: ['--allowedTools', 'Read'] })
  holds(/I see image\/\w+ of \d+ bytes/.test(result), 'the picture', result)
})

await check('errors', async () => {
  const stranger = await ask(kit.hello, { environment: { ...once, ANTHROPIC_AUTH_TOKEN: 'tp_demo_wrong' } })
  holds(stranger.is_error && stranger.code === 1 && /401|log ?in|API key/i.test(stranger.result), 'a refusal', stranger.result)
  const failed = await ask(kit.hello, { what: 'failing-500', environment: once })
  holds(failed.is_error && failed.result.includes('503'), 'a 503', failed.result)
  const bad = await ask(kit.hello, { what: 'failing-400' })
  holds(bad.is_error && bad.result.includes('400'), 'a 400', bad.result)
})

await check('retries', async () => {
  for (const status of [429, 529]) equal((await ask(kit.hello, { what: `busy-${status}` })).result, kit.greeting)
})

await check('abort', async () => {
  const args = [...asking(kit.hello, 'slow'), '--output-format', 'stream-json', '--verbose', '--include-partial-messages']
  const seen = await claude.interrupt(args, 'text_delta', 20_000)
  holds(seen.includes('text_delta'), 'the first piece', seen.slice(-500))
})
