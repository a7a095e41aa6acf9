import t from 'tap'
import type { GenerationRequest } from '../../../core/index.ts'
import { estimateTokens } from '../../../core/tokens/estimate.ts'
import { isAllText, schemasOf } from '../../../core/tokens/input-texts.ts'
import { estimateOtherInput } from '../../../core/tokens/other-input.ts'

t.test('content of another API counts by its length, so that no limit is passed by it', async t => {
  const extra = { type: 'web_search_tool_result', content: 'x'.repeat(10_000) }
  const tool = { type: 'code_execution_20260120', name: 'code_execution' }
  const request: GenerationRequest = {
    model: 'm',
    input: [
      { type: 'message', role: 'assistant', content: [{ type: 'vendor', extra }] },
      { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'vendor', extra }] },
    ],
    tools: [{ type: 'vendor', extra: tool }],
  }
  t.equal(estimateOtherInput(request), 2 * estimateTokens(JSON.stringify(extra).length))
  t.strictSame(schemasOf(request), [JSON.stringify(tool)])
  t.notOk(isAllText({ ...request, tools: [] }))
})
