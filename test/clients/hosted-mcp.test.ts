import { createOpenAI } from '@ai-sdk/openai'
import { Agent, hostedMcpTool, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents'
import { generateText, streamText } from 'ai'
import OpenAI from 'openai'
import t from 'tap'
import mcp from '../../plugins/tools/mcp/index.ts'
import { listeningGateway, scripted, type ListeningGateway } from '../kit/gateway.ts'
import { calling, toCall } from '../kit/tool-stage.ts'
import { modernServer, rawServer, said, type RawServer } from '../plugins/tools/mcp-raw-server.ts'

// It would send traces to its own vendor.
setTracingDisabled(true)

const authorization = 'demo-token'
const model = 'acme/m'

/** Calls the first tool, then repeats its output. */
const acme = scripted('acme', async function* ({ request }) {
  const ran = request.input.findLast(({ type }) => type === 'function_call_output') as { readonly output?: unknown } | undefined
  const [tool] = (request.tools ?? []) as readonly { readonly name: string }[]
  if (ran || !tool) {
    yield { type: 'text', text: `It says: ${String(ran?.output).split('\n').at(-1)}` }
    yield { type: 'finish', reason: 'stop' }
  } else yield* [...calling(tool.name, { word: 'hello' }), toCall]
})

interface Stage {
  readonly under: ListeningGateway
  readonly server: RawServer
  readonly says: string
}

async function onEachServer(t: Tap, check: (stage: Stage) => Promise<void>): Promise<void> {
  const older = rawServer(({ message: { method, params }, headers }) =>
    method === 'tools/call' ? said(`${String(headers.authorization).slice(7, 11)} ${String(params?.arguments?.['word'])}`) : undefined,
  )
  for (const server of [await modernServer(), await older]) {
    const under = await listeningGateway({
      plugins: [acme, mcp({ origins: [{ origin: server.origin }] })],
      key: { policy: { logging: { value: true } } },
    })
    t.teardown(() => Promise.all([under.stop(), server.close()]))
    await check({ under, server, says: 'It says: demo hello' })
  }
}

type Tap = Pick<typeof t, 'teardown'>

t.test('hosted MCP of the Agents SDK', async t => {
  await onEachServer(t, async ({ under, server, says }) => {
    const client = new OpenAI({ apiKey: under.apiKey, baseURL: `${under.url}/v1`, maxRetries: 0 })
    const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient: client, useResponses: true }) })
    const hosted = { serverLabel: 'mine', serverUrl: server.url, authorization, headers: { 'x-team': 'demo-team' } }
    const types = ['mcp_list_tools', 'mcp_call']
    const plain = new Agent({ name: 'Plain', model, tools: [hostedMcpTool({ ...hosted, requireApproval: 'never' })] })
    const whole = await runner.run(plain, 'hi')
    t.equal(whole.finalOutput, says)
    t.strictSame(
      whole.newItems.flatMap(({ rawItem }) => (rawItem?.type === 'hosted_tool_call' ? [rawItem.providerData?.['type']] : [])),
      types,
    )
    const streamed = await runner.run(plain, 'hi', { stream: true })
    for await (const _ of streamed);
    await streamed.completed
    t.equal(streamed.finalOutput, says)

    const asked: unknown[] = []
    const approving = (approve: boolean) =>
      new Agent({
        name: 'Approving',
        model,
        tools: [
          hostedMcpTool({
            ...hosted,
            requireApproval: { always: { toolNames: ['whoami', 'echo'] } },
            async onApproval(_, { rawItem }) {
              asked.push(rawItem.type)
              return { approve, reason: 'not today' }
            },
          }),
        ],
      })
    t.equal((await runner.run(approving(true), 'hi')).finalOutput, says)
    t.equal((await runner.run(approving(false), 'hi')).finalOutput, 'It says: The user declined this call: not today')
    t.equal(asked.length, 2)

    const waiting = new Agent({ name: 'Waiting', model, tools: [hostedMcpTool({ ...hosted, requireApproval: 'always' })] })
    const interrupted = await runner.run(waiting, 'hi')
    t.equal(interrupted.interruptions.length, 1)
    for (const each of interrupted.interruptions) interrupted.state.approve(each)
    t.equal((await runner.run(waiting, interrupted.state)).finalOutput, says)
  })
})

t.test('hosted MCP of the AI SDK', async t => {
  await onEachServer(t, async ({ under, server, says }) => {
    const openai = createOpenAI({ apiKey: under.apiKey, baseURL: `${under.url}/v1` })
    const options = {
      serverLabel: 'mine',
      serverUrl: server.url,
      authorization,
      requireApproval: 'never',
      serverDescription: 'Mine.',
    } as const
    const asked = { model: openai.responses(model), prompt: 'hi', tools: { mcp: openai.tools.mcp(options) }, maxRetries: 0 }
    t.equal((await generateText(asked)).text, says)
    let text = ''
    for await (const piece of streamText(asked).textStream) text += piece
    t.equal(text, says)
  })
})

t.test('connectors are named in the error', async t => {
  await onEachServer(t, async ({ under }) => {
    const client = new OpenAI({ apiKey: under.apiKey, baseURL: `${under.url}/v1`, maxRetries: 0 })
    const tools = [{ type: 'mcp' as const, server_label: 'box', connector_id: 'connector_dropbox' as const, authorization }]
    await t.rejects(client.responses.create({ model, input: 'hi', tools }), { status: 400, message: /connector_id is not supported/ })
  })
})
