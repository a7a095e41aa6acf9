// The model `acme-local/reverse` runs in the process. It answers with the last message of the user, backwards.

import { CatalogSources, definePlugin, Providers, type GenerationEvent, type ProviderCall } from 'turnpike'
import { estimateTokens, noUsage, textOfPart } from 'turnpike/kit'

export default definePlugin({
  name: 'acme-local',
  contracts: { Providers: 1, CatalogSources: 1 },
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    gateway.add(Providers, { id: 'acme-local', capabilities: { tools: false, images: false, files: false }, generate })
    gateway.add(CatalogSources, {
      name: 'acme-local',
      entries: () => [
        { model: 'reverse', endpoints: [{ provider: 'acme-local', upstreamModel: 'reverse', price: { input: 0, output: 0 } }] },
      ],
    })
  },
})

async function* generate({ request: { input }, signal }: ProviderCall): AsyncGenerator<GenerationEvent> {
  signal.throwIfAborted()
  const asked = input.flatMap(item =>
    item.type === 'message' && item.role === 'user' ? [item.content.map(part => textOfPart(part)).join('\n')] : [],
  )
  const answer = [...(asked.at(-1) ?? '')].reverse().join('')
  if (answer !== '') yield { type: 'text', text: answer }
  const uncachedInput = estimateTokens(asked.join('').length)
  yield { type: 'usage', usage: { ...noUsage, uncachedInput, output: estimateTokens(answer.length) } }
  yield { type: 'finish', reason: 'stop' }
}
