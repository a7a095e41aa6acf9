import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent } from '../agent.js'
import * as kit from '../checks.js'
import { absent, check, equal, holds, model } from '../checks.js'

const gemini = new Agent('node_modules/.bin/gemini', {
  GOOGLE_GEMINI_BASE_URL: kit.url,
  GEMINI_API_KEY: kit.key,
  GEMINI_CLI_TRUST_WORKSPACE: 'true',
  GEMINI_TELEMETRY_ENABLED: 'false',
  CI: 'true',
})
const settings = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  privacy: { usageStatisticsEnabled: false },
  general: { disableAutoUpdate: true },
}
mkdirSync(join(gemini.folder, '.gemini'))
writeFileSync(join(gemini.folder, '.gemini', 'settings.json'), JSON.stringify(settings))
const asking = (prompt, what = 'plain') => ['-p', prompt, '-m', model(what), '--approval-mode', 'yolo']

async function ask(prompt, { what, args = ['--output-format', 'json'], environment } = {}) {
  const { code, stdout, stderr } = await gemini.run([...asking(prompt, what), ...args], environment)
  const start = stdout.indexOf('{')
  return { code, stdout, stderr: stderr.slice(-1_500), ...(start >= 0 && args.includes('json') && JSON.parse(stdout.slice(start))) }
}

await check('text', async () => {
  const { response, stderr } = await ask(kit.hello)
  holds(response === kit.greeting, kit.greeting, { response, stderr })
})

await check('stream', async () => {
  const { stdout } = await ask(kit.hello, { args: ['--output-format', 'stream-json'] })
  const events = stdout.split('\n').flatMap(line => (line.startsWith('{') ? [JSON.parse(line)] : []))
  const pieces = events.flatMap(({ type, role, content }) => (type === 'message' && role === 'assistant' ? [content] : []))
  equal(pieces.join(''), kit.greeting)
  holds(pieces.length > 1, 'several pieces', pieces)
})

await check('tools', async () => {
  const { response, stderr } = await ask(`Read the files ${gemini.one} and ${gemini.two}`)
  holds(response?.includes('the first file') && response.includes('the second file'), 'what both files hold', { response, stderr })
})

absent('structured', 'not from its command line')

await check('images', async () => {
  const { response, stderr } = await ask(`Read the file ${gemini.picture}`)
  holds(/I see image\/\w+ of \d+ bytes/.test(response), 'the picture', { response, stderr })
})

await check('errors', async () => {
  const stranger = await ask(kit.hello, { environment: { GEMINI_API_KEY: 'tp_demo_wrong' } })
  holds(stranger.code !== 0 && `${stranger.stdout}${stranger.stderr}`.includes('API key'), 'a refusal', stranger)
  const bad = await ask(kit.hello, { what: 'failing-400' })
  holds(bad.code !== 0, 'a failure', bad)
})

await check('retries', async () => {
  const { response, stderr } = await ask(kit.hello, { what: 'busy-500' })
  holds(response === kit.greeting, kit.greeting, { response, stderr })
})

await check('abort', async () => {
  const seen = await gemini.interrupt([...asking(kit.hello, 'slow'), '--output-format', 'stream-json'], '"role":"assistant"', 40_000)
  holds(seen.includes('"role":"assistant"'), 'the first piece', seen.slice(-500))
})
