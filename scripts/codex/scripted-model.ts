import {
  CatalogSources,
  definePlugin,
  Providers,
  type CatalogEntry,
  type GenerationEvent,
  type Item,
  type ProviderCall,
} from '../../core/index.ts'

const entry: CatalogEntry = {
  // A name that Codex knows, because it offers known models more tools.
  model: 'gpt-5.5',
  ownedBy: 'scripted',
  auto: false,
  endpoints: [
    {
      provider: 'scripted',
      upstreamModel: 'gpt-5.5',
      capabilities: { tools: true, parallelTools: true, customTools: true, namespaceTools: true, images: true, verbosity: true },
      zdr: false,
      hipaa: false,
    },
  ],
}

/** A model that calls the tool that the user names, then reports its output. */
export const scriptedModel = definePlugin({
  name: 'scripted',
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    gateway.add(CatalogSources, { name: 'scripted', entries: () => [entry] })
    gateway.add(Providers, { id: 'scripted', generate })
  },
})({})

const inputs: Readonly<Record<string, string>> = {
  exec_command: JSON.stringify({ cmd: `echo "ran by the gateway's word"` }),
  apply_patch: '*** Begin Patch\n*** Add File: patched.txt\n+written by the gateway\n*** End Patch\n',
}

async function* generate({ request }: ProviderCall): AsyncGenerator<GenerationEvent> {
  const output = request.input.findLast(isOutput)
  if (output) {
    yield { type: 'text', text: `It said: ${typeof output.output === 'string' ? output.output : JSON.stringify(output.output)}` }
    yield { type: 'finish', reason: 'stop' }
    return
  }
  const last = JSON.stringify(request.input.at(-1))
  const tools = request.tools?.filter(each => each.type === 'function' || each.type === 'custom')
  const tool = tools?.find(({ name }) => name in inputs && last.includes(name))
  if (!tool) throw new Error('Codex did not offer the tool that the user named')
  yield { type: 'tool-call', key: '1', callId: 'call_demo_1', name: tool.name, ...(tool.type === 'custom' && { custom: true }) }
  yield { type: 'tool-input', key: '1', text: inputs[tool.name]! }
  yield { type: 'finish', reason: 'tool-calls' }
}

function isOutput(item: Item): item is Extract<Item, { type: 'function_call_output' | 'custom_tool_call_output' }> {
  return item.type === 'function_call_output' || item.type === 'custom_tool_call_output'
}
