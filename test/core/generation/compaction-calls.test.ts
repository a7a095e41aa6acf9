import t from 'tap'
import type { Item } from '../../../core/index.ts'
import { calledTools } from '../../../core/generation/compaction/called-tools.ts'
import { divisions, openCalls, spokenCall, withoutCalls } from '../../../core/generation/compaction/calls.ts'
import { lengthOfAll, partsOf } from '../../../core/generation/compaction/parts.ts'
import { outlineOf, sealedTail } from '../../../core/generation/compaction/outline.ts'

const said = (text: string): Item => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
const shell = (id: string): Item => ({ type: 'shell_call', call_id: id, action: { commands: ['ls'] }, status: 'completed' })
const done = (id: string, stdout: string): Item => ({
  type: 'shell_call_output',
  call_id: id,
  output: [{ stdout, stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
})

t.test('calls of the tools of coding agents wait for their outputs as others do', t => {
  const items = [said('Go.'), shell('1'), done('1', 'a'), shell('2')]
  t.same([...openCalls(items)], [items[3]])
  t.same(withoutCalls(items, openCalls(items)), items.slice(0, 3))
  t.same(spokenCall(items[3] as Parameters<typeof spokenCall>[0]), { name: 'shell', input: '{"commands":["ls"]}' })
  const outline = outlineOf(items, 1000, true)
  t.same([outline?.told, outline?.tail], [items.slice(0, 3), [items[3]]])
  t.end()
})

t.test('the outputs of the last calls are still to be answered', t => {
  const items = [said('Go.'), shell('1'), done('1', 'a'), shell('2'), done('2', 'b')]
  t.same(outlineOf(items, 1000, false)?.tail, items.slice(3))
  t.end()
})

t.test('no call is apart from its output, and a long output keeps its form', t => {
  const items = [said('Go.'), shell('1'), done('1', 'x'.repeat(5_000)), shell('2'), done('2', 'b')]
  t.same(divisions(items), [true, true, false, true, false])
  t.ok(lengthOfAll(partsOf(items, 1_000).flat()) < 1_100)
  const [{ item }] = sealedTail([done('1', 'x'.repeat(5_000))], 1_000) as [{ item: Item }]
  t.match(item, { type: 'shell_call_output', call_id: '1', output: [{ stdout: /characters left out/, outcome: { exit_code: 0 } }] })
  t.ok(JSON.stringify(item).length < 1_200)
  t.end()
})

t.test('a summary declares the tools that were called', t => {
  const search: Item = { type: 'tool_search_call', call_id: '2', execution: 'client', arguments: {} }
  const byVendor: Item = { type: 'tool_search_call', call_id: null, execution: 'server', arguments: {} }
  t.same(calledTools([shell('1'), done('1', 'a'), search]), [{ type: 'shell' }, { type: 'tool_search', execution: 'client' }])
  t.same(calledTools([byVendor]), [])
  t.end()
})
