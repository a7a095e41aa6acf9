import t from 'tap'
import type { GenerationRequest } from '../../../core/index.ts'
import { withoutExtras } from '../../../core/guards/without-extras.ts'

t.test('a request loses everything that only the dialect of its caller can say', async t => {
  const request: GenerationRequest = {
    model: 'm',
    input: [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'hi', extra: { citations: { enabled: true } } },
          { type: 'vendor', extra: { type: 'container_upload', file_id: 'file_1' } },
        ],
        extra: { name: 'jane' },
      },
      { type: 'vendor', extra: { type: 'server_tool_use', id: 'srv_1' } },
      { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'vendor', extra: { type: 'search_result' } }] },
    ],
    tools: [
      { type: 'vendor', extra: { type: 'code_execution_20260120' } },
      { type: 'function', name: 'look', extra: { defer_loading: true } },
    ],
    extra: { dialect: 'anthropic-messages', fields: { container: 'c_1' } },
  }
  const { request: plain, losses } = withoutExtras(request)
  t.strictSame(plain, {
    model: 'm',
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
      { type: 'function_call_output', call_id: 'call_1', output: [] },
    ],
    tools: [{ type: 'function', name: 'look' }],
  })
  t.strictSame(losses.members, ['container'])
  t.strictSame([...losses.within.input], ['name', 'citations', 'container_upload', 'server_tool_use', 'search_result'])
  t.strictSame([...losses.within.tools], ['code_execution_20260120', 'defer_loading'])
  t.equal(request.input.length, 3, 'the request itself stays as it is')
})
