import t from 'tap'
import type { GenerationEvent, PluginUse, TokenUsage } from '../../../../core/index.ts'
import { costOf } from '../../../../core/billing/cost.ts'
import anthropic from '../../../../plugins/providers/anthropic/index.ts'
import { hosts, type HostName } from '../../../../plugins/providers/openai-chat/hosts.ts'
import openaiChat from '../../../../plugins/providers/openai-chat/index.ts'
import openaiResponses from '../../../../plugins/providers/openai-responses/index.ts'
import { bundledIndex } from '../../../kit/bundled-index.ts'
import { recordedReply, recordings, recordingsAbsent, type RecordedReply, type Recording } from '../../../kit/recordings.ts'
import { PieceDecoder } from './pieces.ts'
import { vendorCost } from './vendor-cost.ts'

/** Vendors whose name is not that of the provider in the catalog. */
const providerOf: Readonly<Record<string, string>> = {
  'azure-openai-chat': 'azure',
  'openrouter-messages': 'openrouter',
  'openrouter-responses': 'openrouter',
  'vercel-gateway': 'vercel',
  'xai-responses': 'xai',
}

const newPrice = 'the price has changed since'
const successor = 'a retired name: the vendor answers with grok-4.3, and bills that'
const twice = 'the vendor bills reasoning twice: within the output tokens, and once more'
const searchPrice = 'the price of a search depends on the engine, and is not known'
const unnamed = 'the reply says that it cost nothing: it is billed elsewhere, and the catalog does not list it'
const withdrawn = 'a free model that was withdrawn: nothing is known of it any more'

/** Where the cost is not within 1 % of the vendor's own, and why. */
const differing: Readonly<Record<string, string>> = {
  'azure-openai-chat/032-tool-call-stream-grok-4-1-fast-non-reasoning': unnamed,
  'azure-openai-chat/033-tool-call-stream-grok-4-1-fast-non-reasoning': unnamed,
  'azure-openai-chat/048-tool-result-stream-grok-4-1-fast-non-reasoning': unnamed,
  'openrouter-responses/001-cache-read-gpt-5-6-sol': newPrice,
  'openrouter-responses/002-cache-write-gpt-5-6-sol': newPrice,
  'openrouter-responses/004-reasoning-stream-gpt-oss-20b': newPrice,
  'openrouter/001-audio-input-gemini-2-5-flash': 'audio input has a price of its own, and tokens are not counted by kind',
  'openrouter/006-cache-write-gemini-2-5-flash': newPrice,
  'openrouter/007-citations-stream-deepseek-chat': searchPrice,
  'openrouter/010-citations-gpt-5-1-codex-mini': 'a search was billed that the reply does not count',
  'openrouter/011-citations-gpt-5-2': searchPrice,
  'openrouter/049-misc-stream-minimax-m2-free': withdrawn,
  'openrouter/052-reasoning-encrypted-stream-gemini-2-0-flash-exp-free': withdrawn,
  'openrouter/058-reasoning-signed-gemini-3-6-flash': newPrice,
  'openrouter/071-stream-error-stream-minimax-m2-free': withdrawn,
  'vercel-gateway/007-tool-call-parallel-stream-gpt-5': twice,
  'vercel-gateway/008-tool-call-parallel-gpt-5': twice,
  'vercel-gateway/012-tool-result-gpt-5': twice,
  'xai-responses/001-citations-stream-grok-4-fast-reasoning': 'a search on X was billed, which is not counted as one on the web',
  'xai-responses/017-reasoning-summary-stream-grok-3-mini': successor,
  'xai-responses/018-reasoning-summary-stream-grok-3-mini': successor,
  'xai-responses/019-reasoning-summary-grok-3-mini': successor,
  'xai-responses/020-reasoning-tool-call-stream-grok-4-0709': successor,
  'xai-responses/025-reasoning-tool-call-grok-3-mini': successor,
  'xai-responses/026-reasoning-tool-call-grok-3-mini': successor,
  'xai-responses/031-tool-call-parallel-stream-grok-4-0709': successor,
  'xai-responses/037-tool-result-stream-grok-4-0709': successor,
  'xai-responses/040-tool-result-grok-4-0709': successor,
}

t.test('recorded replies cost what their vendors say, by the bundled prices', { skip: recordingsAbsent }, async t => {
  const index = bundledIndex()
  const priced = recordings().filter(({ oddities }) => oddities.includes('usage-cost'))
  const found: string[] = []
  for (const recording of priced) {
    const reply = recordedReply(recording)!
    const theirs = vendorCost(reply.body.toString('utf8'))!
    const provider = providerOf[recording.vendor] ?? recording.vendor
    const usage = await usageOf(recording, reply)
    const ours = usage ? costOf(usage, index.endpoint(provider, recording.model)?.price) : null
    const agrees = ours !== null && Math.abs(ours - theirs) <= 0.01 * theirs
    if (!agrees) found.push(recording.path)
    t.ok(agrees || recording.path in differing, `${recording.path}: theirs ${theirs}, ours ${ours}`)
  }
  t.same(found.sort(), Object.keys(differing).sort(), 'what is listed as different is')
  t.equal(priced.length, 129)
  t.comment(`${priced.length - found.length} of ${priced.length} agree; the others:`)
  for (const [reason, paths] of Map.groupBy(found, path => differing[path])) t.comment(`${paths.length} ${reason}`)
})

async function usageOf(recording: Recording, reply: RecordedReply): Promise<TokenUsage | undefined> {
  const decoder = new PieceDecoder(pluginFor(recording), recording.model)
  const { events } = await decoder.decode(recording.status, reply.headers, [reply.body], recording.mode === 'stream')
  return events.filter((event): event is GenerationEvent & { type: 'usage' } => event.type === 'usage').at(-1)?.usage
}

function pluginFor({ api, vendor }: Recording): PluginUse {
  const shared = { id: 'vendor', baseUrl: 'https://vendor.example.com', apiKey: 'sk-demo-replay' }
  if (api === 'responses') return openaiResponses(shared)
  if (api === 'messages') return anthropic(shared)
  const provider = providerOf[vendor] ?? vendor
  return openaiChat({ ...shared, host: provider in hosts ? (provider as HostName) : 'compatible' })
}
