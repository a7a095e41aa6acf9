import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

interface Seen {
  readonly providers: readonly string[]
  /** Packages that were loaded by the time the gateway had started, and by the first request to each. */
  readonly start: readonly string[]
  readonly sandbox: readonly string[]
  readonly vertex: readonly string[]
  readonly amazon: readonly string[]
}

t.test('packages of one vendor are loaded by the first request that needs them', async t => {
  const program = fileURLToPath(new URL('loaded-modules.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=turnpike-source', program], { timeout: 300_000 })
  const seen = JSON.parse(stdout) as Seen
  for (const provider of ['openai', 'anthropic', 'gemini', 'cohere', 'bedrock', 'azure', 'mistral', 'groq', 'xai', 'vertex', 'sandbox'])
    t.ok(seen.providers.includes(provider), provider)
  t.ok(seen.start.includes('undici'), 'what every provider needs is there')
  t.strictSame(
    seen.start.filter(name =>
      /^(google-auth-library|gaxios|gcp-metadata|gpt-tokenizer|pg|@smithy\/.*|@aws.*|@azure\/.*|@ai-sdk\/.*)$/.test(name),
    ),
    [],
  )
  // The test asks through h3, which loads at its first request.
  t.strictSame(
    seen.sandbox.filter(name => !['h3', 'rou3', 'srvx'].includes(name)),
    [],
  )
  t.ok(seen.vertex.includes('google-auth-library'))
  t.notOk(seen.vertex.some(name => name.startsWith('@smithy/')))
  t.ok(seen.amazon.includes('@smithy/signature-v4'))
})
