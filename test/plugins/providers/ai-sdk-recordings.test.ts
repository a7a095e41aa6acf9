import t from 'tap'
import { testGateway } from '../../../core/testing/index.ts'
import responses from '../../../plugins/endpoints/responses/index.ts'
import aiSdk from '../../../plugins/providers/ai-sdk/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import { Oracle, wireOf, type OracleReading } from './oracle/oracle.ts'
import { recordedReply, recordings, recordingsAbsent, type RecordedReply, type Recording } from '../../kit/recordings.ts'
import { unaskable } from './recordings/request.ts'
import { checkThroughGateway } from './recordings/through-gateway.ts'
import { RecordedUpstream } from './recordings/upstream.ts'

// Recorded traffic through real packages and the whole gateway, against the oracle's reading, which the plugins of the wires equal.
// A package may lose parts of its vendor's reply. The list has those recordings with the lost parts. No others may differ.

const thinkTags = 'the package leaves <think> tags in the text'
const noReasoningCount = 'the package tells no reasoning tokens'
const groqLosses = { 'groq/025-reasoning-stream-deepseek-r1-distill-llama-70b': thinkTags, 'groq/065-tool-result-qwen3-32b': thinkTags }
const foreignBlock = "the package refuses a block of the vendor's own tools, which nobody can ask for here"
const refusal = 'the package tells a refusal as text that was filtered'
const choices = 'the package mixes several choices, which nobody can ask for here'
const audio = 'the package tells the transcript of spoken output as text'

interface Set {
  readonly id: string
  readonly package: string
  readonly method?: string
  readonly vendor: string
  readonly losses: Readonly<Record<string, string>>
}

const sets: readonly Set[] = [
  {
    id: 'groq-v2',
    package: 'ai-sdk-groq-v2',
    vendor: 'groq',
    losses: {
      ...groqLosses,
      'groq/020-max-tokens-stream-gpt-oss-20b': noReasoningCount,
      'groq/021-max-tokens-stream-gpt-oss-20b': noReasoningCount,
      'groq/022-max-tokens-gpt-oss-20b': noReasoningCount,
      'groq/023-max-tokens-gpt-oss-20b': noReasoningCount,
      'groq/028-reasoning-tool-call-stream-gpt-oss-120b': noReasoningCount,
      'groq/029-reasoning-tool-call-gpt-oss-120b': noReasoningCount,
    },
  },
  { id: 'groq-v3', package: 'ai-sdk-groq-v3', vendor: 'groq', losses: groqLosses },
  { id: 'groq-v4', package: '@ai-sdk/groq', vendor: 'groq', losses: groqLosses },
  {
    id: 'anthropic-v2',
    package: 'ai-sdk-anthropic-v2',
    vendor: 'anthropic',
    losses: {
      'anthropic/015-context-management-stream-claude-sonnet-4-6': foreignBlock,
      'anthropic/056-misc-stream-claude-sonnet-4-5-20250929': foreignBlock,
      'anthropic/065-reasoning-signed-stream-claude-sonnet-4-5': foreignBlock,
      'anthropic/066-reasoning-signed-claude-sonnet-4-0': foreignBlock,
      'anthropic/075-server-tool-stream-claude-sonnet-4-5-20250929':
        'the package loses the input of a call that a program of the vendor made',
      'anthropic/079-server-tool-stream-claude-sonnet-5': foreignBlock,
      'anthropic/082-server-tool-claude-sonnet-4-5': foreignBlock,
      'anthropic/086-server-tool-claude-sonnet-4-6': foreignBlock,
      'anthropic/091-server-tool-claude-sonnet-5': foreignBlock,
      'anthropic/104-text-claude-sonnet-4-5-20250929': foreignBlock,
    },
  },
  {
    id: 'openai-chat-v4',
    package: '@ai-sdk/openai',
    method: 'chat',
    vendor: 'openai-chat',
    losses: {
      'openai-chat/007-audio-output-gpt-audio': audio,
      'openai-chat/008-audio-output-gpt-audio-mini': audio,
      'openai-chat/072-max-tokens-stream-gpt-4o-mini': choices,
      'openai-chat/079-n-choices-stream-gpt-3-5-turbo': choices,
      'openai-chat/080-n-choices-stream-gpt-3-5-turbo': choices,
      'openai-chat/085-reasoning-o3-mini': 'the package reads no reasoning in this dialect',
      'openai-chat/088-refusal-stream-gpt-4o': refusal,
      'openai-chat/089-refusal-stream-gpt-4o': refusal,
      'openai-chat/090-refusal-gpt-4o': refusal,
      'openai-chat/092-refusal-gpt-4o': refusal,
      'openai-chat/094-refusal-gpt-4o': refusal,
    },
  },
  {
    id: 'openai-responses-v4',
    package: '@ai-sdk/openai',
    method: 'responses',
    vendor: 'openai-responses',
    losses: {
      'openai-responses/079-reasoning-tool-call-llama-cpp-reasoning-model': 'the package reads digests of reasoning only',
      'openai-responses/081-refusal-stream-gpt-4o': refusal,
      'openai-responses/082-refusal-gpt-4o': refusal,
      'openai-responses/083-refusal-gpt-4o': refusal,
    },
  },
]

interface Case {
  readonly recording: Recording
  readonly reply: RecordedReply
  readonly oracle: OracleReading
}

t.test('recorded traffic through packages', { skip: recordingsAbsent }, async t => {
  const upstream = new RecordedUpstream()
  await upstream.start()
  t.teardown(() => upstream.close())
  const oracle = await Oracle.start()
  t.teardown(() => oracle.close())
  const gateway = await testGateway({
    plugins: [
      memory({}),
      localSealer({ masterKey: 'ab'.repeat(32) }),
      responses({}),
      ...sets.map(({ id, package: name, method = 'languageModel' }) =>
        aiSdk({ id, package: name, method, apiKey: 'sk-demo-replay', baseUrl: upstream.baseUrl(id) }),
      ),
    ],
  })
  t.teardown(() => gateway.stop())
  const all = recordings()
  for (const { id, vendor, losses } of sets) {
    const cases = await casesOf(all, vendor, oracle)
    const askable = cases.filter(isAskable)
    const differing: string[] = []
    for (const each of askable) {
      const replayed = { ...each, resumed: undefined, provider: id }
      const ask = (body: object): Promise<Response> => gateway.request('/v1/responses', { method: 'POST', body })
      const problems = await checkThroughGateway(ask, upstream, replayed, Infinity)
      const { path } = each.recording
      if (problems.length > 0) differing.push(path)
      if (!(path in losses)) t.same(problems, [], `${id}: ${path}`)
    }
    t.same(
      differing.sort(),
      Object.keys(losses)
        .filter(path => askable.some(({ recording }) => recording.path === path))
        .sort(),
      `${id}: nothing else is lost`,
    )
    t.comment(
      `${id}: ${askable.length - differing.length} of ${askable.length} are equal; ${cases.length - askable.length} answer requests for tools of the vendor's own or custom tools`,
    )
  }
})

async function casesOf(all: readonly Recording[], vendor: string, oracle: Oracle): Promise<readonly Case[]> {
  const cases: Case[] = []
  for (const recording of all) {
    const reply = recording.vendor === vendor ? recordedReply(recording) : undefined
    if (!reply) continue
    const { status, mode, api } = recording
    const { headers, body } = reply
    cases.push({ recording, reply, oracle: await oracle.read(wireOf(api)!, { status, headers, body }, mode === 'stream') })
  }
  return cases
}

/** True if the gateway could have sent such a package the request to which this is the answer. */
function isAskable({ oracle }: Case): boolean {
  return unaskable(oracle) === undefined && oracle.others.length === 0 && !oracle.toolCalls.some(({ custom }) => custom)
}
