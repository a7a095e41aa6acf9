import t from 'tap'
import { inheritedModels } from '../../config/inherited-models.ts'
import type { PluginUse } from '../../core/index.ts'
import bundledCatalog from '../../plugins/catalogs/bundled/index.ts'
import aiSdk from '../../plugins/providers/ai-sdk/index.ts'
import anthropic from '../../plugins/providers/anthropic/index.ts'
import ollama from '../../plugins/providers/ollama/index.ts'
import openaiChat from '../../plugins/providers/openai-chat/index.ts'
import openaiResponses from '../../plugins/providers/openai-responses/index.ts'
import { gateway } from '../kit/gateway.ts'
import { config, Workplace } from '../kit/turnpike-process.ts'

const apiKey = 'sk-demo-inherited'

async function warningsOf(...plugins: readonly PluginUse[]): Promise<readonly string[]> {
  const { gateway: built, stop } = await gateway({ plugins: [...plugins], settings: { logLevel: 'silent' } })
  const warnings = inheritedModels(built)
  await stop()
  return warnings
}

t.test('a server of the operator that has the id of a vendor', async t => {
  const own = openaiChat({ host: 'compatible', id: 'mistral', apiKey, baseUrl: 'https://llm.example.com/v1' })
  const [warning, ...others] = await warningsOf(bundledCatalog({}), own)
  t.same(others, [])
  t.match(
    warning,
    /^Plugin openai-chat\(mistral\) sets the id "mistral" itself, but the bundled catalog knows a provider "mistral": requests for the \d+ models that it lists there may go to yours, at the prices of that vendor\. If yours is another server, give it another id, or leave them out: bundledCatalog\({ exclude: \['mistral\/\*'\] }\)\.$/,
  )
  for (const baseUrl of [
    'http://127.0.0.1:8000/v1',
    'http://10.1.2.3/v1',
    'http://[::1]:8000/v1',
    'http://llm:8000/v1',
    'http://llm.internal/v1',
  ])
    for (const use of [openaiChat({ apiKey, baseUrl }), openaiResponses({ apiKey, baseUrl }), anthropic({ apiKey, baseUrl })]) {
      const found = await warningsOf(bundledCatalog({}), use)
      t.equal(found.length, 1, `${use.plugin.name} at ${baseUrl}`)
      t.match(found[0], /^Plugin \S+ is at a private address, but/)
    }
})

t.test('everyone else is left in peace', async t => {
  const baseUrl = 'http://127.0.0.1:8000/v1'
  t.same(
    await warningsOf(
      bundledCatalog({}),
      openaiChat({ host: 'compatible', apiKey, baseUrl }),
      openaiChat({ host: 'compatible', id: 'fleet', apiKey, baseUrl }),
      openaiChat({ host: 'vllm' }),
      ollama({ baseUrl: 'http://127.0.0.1:1' }),
      openaiChat({ host: 'groq', apiKey }),
      openaiChat({ host: 'together', apiKey, baseUrl: 'https://proxy.example.com/together' }),
      openaiResponses({ id: 'openai', apiKey }),
      openaiResponses({ id: 'openai-eu', apiKey, baseUrl: 'https://eu.api.example.com/v1' }),
      aiSdk({ package: '@ai-sdk/openai', id: 'openai-sdk', apiKey }),
    ),
    [],
  )
  const own = openaiChat({ host: 'compatible', id: 'mistral', apiKey, baseUrl })
  t.same(await warningsOf(own), [], 'without the bundled catalog')
  t.same(await warningsOf(bundledCatalog({ exclude: ['mistral/*'] }), own), [], 'without the models of that vendor')
})

t.test('start and check say so', async t => {
  const plugin = "openaiChat({ host: 'compatible', id: 'mistral', baseUrl: 'http://127.0.0.1:1/v1' })"
  const imports = "import openaiChat from 'turnpike/plugins/providers/openai-chat'"
  const workplace = new Workplace(imports + config('', plugin))
  t.teardown(() => workplace.remove())
  const { exitCode, stdout, stderr } = await workplace.run('check')
  t.equal(exitCode, 0, stderr)
  t.match(stdout, /is fine\.\n\nWarning: Plugin openai-chat\(mistral\) is at a private address, .*\n\nPlugins, in setup order/)
  const started = workplace.spawn(['start'])
  await started.url()
  started.signal('SIGTERM')
  await started.finished
  t.match(started.stderr, /"message":"Plugin openai-chat\(mistral\) is at a private address/)
})
