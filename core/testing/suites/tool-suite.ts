import assert from 'node:assert/strict'
import pTimeout from 'p-timeout'
import type { Item } from '../../contracts/items.ts'
import type { Tool, ToolCall, ToolEntry, ToolScope, ToolSession } from '../../contracts/tool.ts'
import { isObject, type JsonObject } from '../../foundation/json.ts'
import { Tools } from '../../framework/extension-points.ts'
import { onStage, wholeAnswer, type CallStage, type CallSuiteOptions } from '../call-stage.ts'
import { frozen } from '../frozen.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { shape } from '../shape.ts'
import { contextWith, oddTexts, onEachPlugin } from './on-each-plugin.ts'

/** A call that a model may make, with arguments that fit the function. */
export interface ToolExample {
  /** The entry of `tools` in the request. */
  readonly entry: ToolEntry
  /** One of the functions that the entry offers. */
  readonly name: string
  /** As the model would write them. */
  readonly arguments: JsonObject
  /** A part of what the model reads then. */
  readonly output?: string
}

/** For `toolSuite`. */
export interface ToolSuiteOptions extends CallSuiteOptions {
  /** The service that the plugin asks must answer these calls, and others with an error. */
  readonly examples: readonly ToolExample[]
  /** Entries that its schema refuses. */
  readonly badEntries?: readonly ToolEntry[]
  /** Every key and token in its options. They must not reach the model or the caller. */
  readonly secrets?: readonly string[]
  /** How quickly a call must stop after an abort. Default: 1000. */
  readonly stopMs?: number
}

/** Tests for every tool that the gateway runs. */
export function toolSuite(t: SuiteContext, options: ToolSuiteOptions): void {
  const test = onEachPlugin(t, options, Tools)
  const on = (name: string, run: (stage: CallStage) => Promise<void>): unknown => t.test(name, () => onStage(options, run))
  test('offers functions that models accept', async tool => {
    for (const { entry } of examplesOf(tool, options)) offers(await openedBy(tool, entry).functions(new AbortController().signal))
  })
  test('answers its examples, several at once', async tool => answers(tool, options))
  test('no arguments are a mistake in its code', async tool => takesAnything(tool, options))
  test('a call stops when it is aborted', async tool => stops(tool, options))
  test('an ordinary conversation stays as it is', async tool => keepsConversation(tool))
  on('a model calls it, and the caller sees no call', stage => runs(stage, options))
  on('bad entries are refused', stage => refuses(stage, options))
}

function examplesOf({ type }: Tool, { examples }: ToolSuiteOptions): readonly ToolExample[] {
  return examples.filter(({ entry }) => entry.type === type)
}

function openedBy(tool: Tool, entry: ToolEntry): ToolSession {
  const request = frozen({ model: 'suite/m', input: [{ type: 'message', role: 'user', content: 'hello' }], tools: [entry] })
  const scope = { request, path: 'tools[0]', isGuarded: false, allows: () => true, context: contextWith(), catalog: noCatalog }
  return tool.open(frozen(entry), scope as unknown as ToolScope)
}

const noCatalog: ToolScope['catalog'] = {
  resolve: () => undefined,
  endpoint: () => undefined,
  models: () => [],
  nearest: () => [],
  absence: () => undefined,
}

function offers(functions: unknown): void {
  assert.ok(Array.isArray(functions) && functions.length > 0, 'a session must offer at least one function')
  const names = new Set<string>()
  for (const { name, description, parameters } of functions as readonly JsonObject[]) {
    assert.match(String(name), /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/, 'models accept names of letters, digits, _ and -, at most 64')
    assert.ok(!names.has(String(name)), `two functions have the name ${String(name)}`)
    names.add(String(name))
    assert.ok(typeof description === 'string' && description.trim() !== '', `the function ${String(name)} has no description`)
    assert.equal((parameters as JsonObject | undefined)?.['type'], 'object', `the parameters of ${String(name)} must be of type object`)
    assert.doesNotThrow(() => shape(parameters as object), `the parameters of ${String(name)} must be a JSON Schema`)
  }
}

let made = 0

/** Runs a call within the time limit of the tool, and checks its result. */
async function ran(
  { timeoutMs }: Tool,
  session: ToolSession,
  { name, arguments: given }: Omit<ToolCall, 'callId'>,
  signal = new AbortController().signal,
): Promise<string> {
  const call: ToolCall = frozen({ callId: `call_${++made}`, name, arguments: given })
  session.started?.(call)
  const running = Promise.resolve(session.run(call, { signal, endpoint: undefined }))
  const result: unknown = await pTimeout(running, { milliseconds: timeoutMs, message: `no result within ${timeoutMs} ms` })
  assert.ok(isObject(result) && typeof result['output'] === 'string', 'a result must have an `output`: a string')
  const { output, costUsd = 0, counts = {}, shown = [] } = result
  assert.ok(typeof costUsd === 'number' && costUsd >= 0 && costUsd < Infinity, `costUsd is ${String(costUsd)}: expected US dollars from 0`)
  for (const count of Object.values(counts as JsonObject))
    assert.ok(Number.isInteger(count) && (count as number) >= 0, `counts has ${String(count)}: expected whole numbers`)
  for (const { type } of shown as readonly JsonObject[])
    assert.ok(type === 'search' || type === 'item', `it shows "${String(type)}": expected search or item`)
  return output
}

async function answers(tool: Tool, options: ToolSuiteOptions): Promise<void> {
  for (const { entry, name, arguments: given, output = '' } of examplesOf(tool, options)) {
    const session = openedBy(tool, entry)
    const offered = (await session.functions(new AbortController().signal)).map(each => each.name)
    assert.ok(offered.includes(name), `the example calls ${name}, but the tool offers ${offered.join(', ')}`)
    const outputs = await Promise.all([1, 2, 3].map(() => ran(tool, session, { name, arguments: given })))
    for (const each of outputs) {
      assert.ok(each.includes(output), `the model must read "${output}", but reads "${each.slice(0, 200)}"`)
      for (const secret of options.secrets ?? []) assert.ok(!each.includes(secret), 'the model must not read a secret')
    }
  }
}

const oddArguments: readonly JsonObject[] = [
  {},
  { unknown: 1 },
  ...oddTexts.slice(0, 5).map(text => ({ [text]: text })),
  JSON.parse('{"__proto__": {"a": 1}, "constructor": null}') as JsonObject,
]

/** The arguments of the example with every value replaced. */
function spoiled(given: JsonObject): readonly JsonObject[] {
  return [null, 7, -1, '', '\ud800', [], {}, true, 'x'.repeat(100_000)].map(value =>
    Object.fromEntries(Object.keys(given).map(name => [name, value])),
  )
}

async function takesAnything(tool: Tool, options: ToolSuiteOptions): Promise<void> {
  for (const { entry, name, arguments: given } of examplesOf(tool, options)) {
    const session = openedBy(tool, entry)
    await session.functions(new AbortController().signal)
    for (const odd of [...oddArguments, ...spoiled(given)])
      await ran(tool, session, { name, arguments: odd }).catch((error: unknown) => {
        const isMistake = [TypeError, RangeError, SyntaxError, URIError].some(kind => error instanceof kind)
        if (isMistake) assert.fail(`with the arguments ${JSON.stringify(odd).slice(0, 100)}: ${String(error)}`)
        if (error instanceof assert.AssertionError) throw error
      })
  }
}

async function stops(tool: Tool, options: ToolSuiteOptions): Promise<void> {
  const { stopMs = 1_000 } = options
  for (const { entry, name, arguments: given } of examplesOf(tool, options)) {
    const session = openedBy(tool, entry)
    await session.functions(new AbortController().signal)
    for (const isEarly of [true, false]) {
      const controller = new AbortController()
      if (isEarly) controller.abort(new Error('the caller left'))
      const running = ran(tool, session, { name, arguments: given }, controller.signal).then(
        () => undefined,
        () => undefined,
      )
      controller.abort(new Error('the caller left'))
      await pTimeout(running, { milliseconds: stopMs, message: `a call did not stop within ${stopMs} ms` })
    }
  }
}

async function keepsConversation(tool: Tool): Promise<void> {
  if (!tool.conversation) return
  const input = frozen([
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
    { type: 'function_call', call_id: 'call_1', name: 'own_function', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'done' },
  ]) as unknown as readonly Item[]
  assert.deepEqual(tool.conversation(input), input, "only the tool's own items may change")
  assert.deepEqual(tool.conversation([]), [])
}

async function runs(stage: CallStage, { examples, secrets = [] }: ToolSuiteOptions): Promise<void> {
  for (const { entry, name, arguments: given, output = '' } of examples) {
    stage.calls.length = 0
    stage.calling = { name, arguments: given }
    const { status, text, body } = await stage.ask('use the tool', { more: { tools: [entry] } })
    assert.equal(status, 200)
    assert.equal(text, wholeAnswer)
    const shown = JSON.stringify((body as { readonly output: unknown }).output)
    assert.ok(!shown.includes('"function_call"'), 'the caller must not see the call as one of its own functions')
    const last = JSON.stringify(stage.calls.at(-1)?.request.input)
    assert.equal(stage.calls.length, 2, 'the model must be asked again with the result')
    assert.ok(last.includes(JSON.stringify(output).slice(1, -1)), `the model must read "${output}"`)
    for (const secret of secrets) assert.ok(!`${shown} ${last}`.includes(secret), 'a secret must reach neither the model nor the caller')
  }
}

async function refuses(stage: CallStage, { badEntries = [] }: ToolSuiteOptions): Promise<void> {
  for (const entry of badEntries) {
    const { status } = await stage.ask('hello', { more: { tools: [entry] } })
    assert.ok(status >= 400 && status < 500, `status ${status} for the entry ${JSON.stringify(entry)}: expected a 400`)
  }
}
