import { setImmediate } from 'node:timers/promises'
import fc, { type Arbitrary } from 'fast-check'
import t from 'tap'
import type { JsonObject } from '../../../core/index.ts'
import { fakeUpstream, type TestGateway } from '../../../core/testing/index.ts'
import { gateway } from '../../kit/gateway.ts'
import { runs } from '../../kit/runs.ts'
import { changes } from './prefix/bytes.ts'
import type { Turn } from './prefix/conversations.ts'
import { wires } from './prefix/endpoints.ts'

// Tools and items of every type, known and unknown, to every vendor: each reaches it, or the caller is told. A longer conversation begins
// with the bytes of the shorter one.

t.setTimeout(300_000)

interface Block {
  readonly items: readonly object[]
  /** Words that a model has to read, unless the request is refused. */
  readonly words: readonly string[]
  /** The types of items that only the Responses API has. */
  readonly foreign: readonly string[]
}

interface Entry {
  readonly tool: JsonObject & { readonly type: string }
  /** The word of a warning where it is left out. */
  readonly isForeign: boolean
}

/** A word that occurs nowhere else. */
const word = fc.nat({ max: 0xffff_ffff }).map(number => `word${number.toString(36)}`)
const noForeign: readonly string[] = []

const pairs: Readonly<Record<string, (id: string, a: string, b: string) => readonly object[]>> = {
  apply_patch: (call_id, a, b) => [
    { type: 'apply_patch_call', call_id, status: 'completed', operation: { type: 'create_file', path: 'a.txt', diff: `+${a}` } },
    { type: 'apply_patch_call_output', call_id, status: 'failed', output: b },
  ],
  shell: (call_id, a, b) => [
    {
      type: 'shell_call',
      id: `sh_${call_id}`,
      call_id,
      status: 'completed',
      action: { commands: [a], timeout_ms: null, max_output_length: 9 },
    },
    { type: 'shell_call_output', call_id, output: [{ stdout: b, stderr: '', outcome: { type: 'exit', exit_code: 1 } }] },
  ],
  local_shell: (call_id, a, b) => [
    {
      type: 'local_shell_call',
      id: `lsh_${call_id}`,
      call_id,
      status: 'completed',
      action: { type: 'exec', command: ['echo', a], env: {} },
    },
    { type: 'local_shell_call_output', id: call_id, output: b },
  ],
  tool_search: (call_id, a, b) => [
    { type: 'tool_search_call', call_id, execution: 'client', status: 'completed', arguments: { query: a } },
    {
      type: 'tool_search_output',
      call_id,
      execution: 'client',
      status: 'completed',
      tools: [
        { type: 'namespace', name: 'found', description: 'More.', tools: [{ type: 'function', name: b, parameters: { type: 'object' } }] },
      ],
    },
  ],
  custom: (call_id, a, b) => [
    { type: 'custom_tool_call', call_id, name: 'note', input: a },
    { type: 'custom_tool_call_output', call_id, output: b },
  ],
  namespace: (call_id, a, b) => [
    { type: 'function_call', call_id, name: 'look', namespace: 'crm', arguments: JSON.stringify({ at: a }) },
    { type: 'function_call_output', call_id, output: b },
  ],
}

const pair: Arbitrary<Block> = fc
  .tuple(fc.constantFrom(...Object.keys(pairs)), word, word, fc.nat({ max: 0xffff_ffff }))
  .map(([type, a, b, id]) => ({ items: pairs[type]!(`call_${id.toString(36)}`, a, b), words: [a, b], foreign: noForeign }))
const said: Arbitrary<Block> = word.map(a => ({ items: [{ role: 'user', content: `Say ${a}.` }], words: [a], foreign: noForeign }))
const answered: Arbitrary<Block> = fc.tuple(word, word).map(([a, b]) => ({
  items: [
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: a }], phase: 'commentary' },
    { role: 'user', content: b },
  ],
  words: [a, b],
  foreign: noForeign,
}))
const foreignTypes = ['computer_call', 'program', 'image_generation_call', 'hologram_call', 'hologram_call_output', 'x.y:z'] as const
const foreign: Arbitrary<Block> = fc
  .tuple(fc.constantFrom(...foreignTypes), word)
  .map(([type, a]) => ({ items: [{ type, note: a, deep: { list: [a] } }], words: [a], foreign: [type] }))
const added: Arbitrary<Block> = word.map(a => ({
  items: [{ type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: a, parameters: { type: 'object' } }] }],
  words: [a],
  foreign: noForeign,
}))

const conversation = (more: readonly Arbitrary<Block>[]): Arbitrary<readonly Block[]> =>
  fc
    .tuple(
      said,
      fc.array(
        fc.oneof({ weight: 5, arbitrary: pair }, { weight: 2, arbitrary: answered }, ...more.map(arbitrary => ({ weight: 1, arbitrary }))),
        { maxLength: 6 },
      ),
      said,
    )
    .map(([first, blocks, last]) => [first, ...blocks, last])

const offered: Arbitrary<readonly Entry[]> = fc.subarray<Entry>([
  { tool: { type: 'apply_patch' }, isForeign: false },
  { tool: { type: 'shell' }, isForeign: false },
  { tool: { type: 'local_shell' }, isForeign: false },
  { tool: { type: 'tool_search', execution: 'client' }, isForeign: false },
  { tool: { type: 'custom', name: 'note' }, isForeign: false },
  { tool: { type: 'function', name: 'shell', parameters: { type: 'object' } }, isForeign: false },
  { tool: { type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'look', defer_loading: true }] }, isForeign: false },
  { tool: { type: 'code_interpreter', container: 'word0' }, isForeign: true },
  { tool: { type: 'hologram', depth: 3 }, isForeign: true },
])

/** Tools that wait for a search are not offered before it. */
const entries = offered.filter(
  tools => !tools.some(({ tool }) => tool.type === 'tool_search') || !tools.some(({ tool }) => tool.type === 'namespace'),
)

/** Some vendors want tools to be declared as soon as one was called. */
const some = entries.map(tools => [{ tool: { type: 'function', name: 'plain' }, isForeign: false }, ...tools])

function nameOf(tool: object): string {
  return 'name' in tool ? String(tool.name) : (tool as { readonly type: string }).type
}

function turnOf(item: object): Turn {
  const { role = 'model' } = item as { readonly role?: string }
  return role === 'user'
    ? { by: 'user', parts: [{ type: 'text', text: 'Hi' }] }
    : { by: 'model', thought: undefined, search: undefined, text: 'Hi', calls: [] }
}

async function ask(
  under: TestGateway,
  body: object,
): Promise<{ readonly status: number; readonly text: string; readonly warnings: string }> {
  const reply = await under.request('/v1/responses', { body })
  return { status: reply.status, text: await reply.text(), warnings: reply.headers.get('x-gateway-warnings') ?? '' }
}

t.test('no tool and no item is lost without a word', async t => {
  const asked: string[] = []
  const vendors = await Promise.all(
    Object.values(wires).map(({ turns }) =>
      fakeUpstream(({ text }) => {
        asked.push(text)
        return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(turns.at(-1)) }
      }),
    ),
  )
  t.teardown(() => Promise.all(vendors.map(vendor => vendor.close())))
  const under = await gateway({ plugins: Object.entries(wires).map(([id, { use }], index) => use(id, vendors[index]!.url)) })
  t.teardown(under.stop)

  let salt = 0
  for (const [id, { models, excepted }] of Object.entries(wires))
    for (const name of models) {
      let compared = 0
      const isNative = id === 'openai-responses'
      const sent = async (tools: readonly Entry[], blocks: readonly Block[]): Promise<string | undefined> => {
        asked.length = 0
        const body = { model: `${id}/${name}`, tools: tools.map(({ tool }) => tool), input: blocks.flatMap(({ items }) => items) }
        const { status, text, warnings } = await ask(under, body)
        const foreignItems = isNative ? [] : blocks.flatMap(each => each.foreign)
        // Some models know no functions.
        if (status === 400 && text.includes('The request has tools')) return undefined
        if (status === 400) {
          if (!foreignItems.some(type => text.includes(`Items of type ${type} `))) throw new Error(`refused without a reason: ${text}`)
          return undefined
        }
        if (status !== 200) throw new Error(`${status}: ${text}`)
        if (foreignItems.length > 0) throw new Error(`accepted ${foreignItems.join(', ')}`)
        const heard = asked.at(-1)!
        for (const each of blocks.flatMap(({ words }) => words)) if (!heard.includes(each)) throw new Error(`lost ${each}: ${heard}`)
        for (const { tool, isForeign } of tools) {
          const isKept = !isForeign || isNative
          if (isKept && !heard.includes(tool.type === 'namespace' ? 'look' : nameOf(tool)))
            throw new Error(`lost ${JSON.stringify(tool)}: ${heard}`)
          if (!isKept && !warnings.includes(tool.type)) throw new Error(`no word about ${tool.type}: ${warnings}`)
        }
        return heard
      }
      const mixed = async ([tools, blocks]: readonly [readonly Entry[], readonly Block[]]): Promise<void> =>
        void (await sent(tools, blocks))
      const longer = async ([tools, blocks]: readonly [readonly Entry[], readonly Block[]]): Promise<void> => {
        // Tools that a search finds stand before the conversation.
        const before = blocks.findLastIndex(({ items }) => items.some(item => 'tools' in item)) + 1
        const at = Math.max(1, before, blocks.length - 2)
        if (at >= blocks.length) return
        if (excepted?.(turnOf(blocks[at - 1]!.items.at(-1)!), turnOf(blocks[at]!.items[0]!), name)) return
        const [one, other] = [await sent(tools, blocks.slice(0, at)), await sent(tools, blocks)]
        if (one === undefined || other === undefined) return
        compared += 1
        const problems = changes(one, other)
        if (problems.length > 0) throw new Error(problems.join('\n'))
      }
      for (const property of [
        fc.asyncProperty(fc.tuple(entries, conversation([foreign, added])), mixed),
        fc.asyncProperty(fc.tuple(some, conversation([])), longer),
      ]) {
        const found = await fc.check(property, runs(8, salt++))
        await setImmediate()
        t.notOk(
          found.failed,
          `${id}/${name}: ${found.failed ? `${String(found.errorInstance)} ${fc.defaultReportMessage(found)}` : 'nothing is lost'}`,
        )
      }
      t.comment(`${id}/${name}: ${compared} compared`)
    }
})
