import t from 'tap'
import { needOf } from '../../../core/billing/token-need.ts'
import type { GenerationRequest } from '../../../core/index.ts'
import { estimateTokens } from '../../../core/tokens/estimate.ts'
import { extraTextsOf } from '../../../core/tokens/extra-texts.ts'
import { estimateOtherInput } from '../../../core/tokens/other-input.ts'

const known = { cache_control: { type: 'ephemeral' } }

t.test('members that only the dialect of the caller knows count as text', async t => {
  const request: GenerationRequest = {
    model: 'm',
    input: [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'hi', extra: { note: 'part', ...known } },
          { type: 'vendor', extra: { type: 'note', note: 'whole' } },
        ],
        extra: { name: 'jane' },
      },
      { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}', extra: { note: 'call' } },
      {
        type: 'function_call_output',
        call_id: 'call_1',
        output: [{ type: 'input_text', text: 'x', extra: { note: 'inner' } }],
        extra: { note: 'output' },
      },
      { type: 'function_call_output', call_id: 'call_2', output: 'x', extra: known },
    ],
    tools: [
      { type: 'function', name: 'f', extra: { function: { note: 'tool' } } },
      { type: 'vendor', extra: { type: 'acme:search' } },
    ],
    extra: { dialect: 'openai-chat', fields: { documents: [{ text: 'd' }] }, exact: { stop: 'x' } },
  }
  const texts = ['documents":[{"text":"d"}]', 'name":"jane"', 'note":"part"', 'note":"call"', 'note":"output"', 'note":"inner"']
  t.strictSame(extraTextsOf(request), [...texts.map(text => `{"${text}}`), '{"function":{"note":"tool"}}'])
  t.strictSame(needOf(request).texts.slice(-7), extraTextsOf(request))
})

t.test('a part in the words of the dialect counts what it says beyond the part beside it', async t => {
  const withPart = (part: object): GenerationRequest => ({
    model: 'm',
    input: [{ type: 'message', role: 'user', content: [part as never] }],
  })
  const block = { type: 'document', source: { type: 'content', content: 'hi' }, context: 'c'.repeat(4_000) }
  const request = withPart({ type: 'input_text', text: 'hi', extra: block })
  t.strictSame(extraTextsOf(request), [])
  t.equal(estimateOtherInput(request), estimateTokens(JSON.stringify(block).length - 2))
  const shorter = withPart({ type: 'refusal', refusal: 'x'.repeat(100), extra: { type: 'no' } })
  t.equal(estimateOtherInput(shorter), 0)
})
