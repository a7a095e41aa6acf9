import fc, { type Arbitrary } from 'fast-check'

// Conversations in no surface's words.

export interface Conversation {
  readonly system: string | undefined
  readonly tools: readonly ToolSpec[]
  readonly turns: readonly Turn[]
}

export type Turn = UserTurn | SystemTurn | AnswerTurn

export interface UserTurn {
  readonly by: 'user'
  readonly parts: readonly Part[]
}

/** In mid-conversation. */
export interface SystemTurn {
  readonly by: 'system'
  readonly text: string
}

/** What a model said, and what the tools said that it called. */
export interface AnswerTurn {
  readonly by: 'model'
  readonly thought: string | undefined
  /** A query. */
  readonly search: string | undefined
  readonly text: string | undefined
  readonly calls: readonly Call[]
}

export interface Call {
  readonly id: string
  readonly tool: ToolSpec
  readonly input: object
  readonly output: string | readonly Part[]
  readonly isError: boolean
}

export interface ToolSpec {
  readonly name: string
  readonly namespace?: string
  /** Takes free text. */
  readonly isCustom?: true
}

export type Part =
  | { readonly type: 'text'; readonly text: string }
  /** Bytes in base64. */
  | { readonly type: 'image'; readonly data: string }
  | { readonly type: 'file'; readonly name: string; readonly text: string }

/** The first is always offered. */
const tools: readonly ToolSpec[] = [
  { name: 'look' },
  { name: 'patch', isCustom: true },
  { name: 'find', namespace: 'crm' },
  { name: 'find', namespace: 'shop' },
  { name: `a_name_that_is_too_long_for_most_vendors_${'x'.repeat(40)}` },
]

const texts = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'Hi',
      'And now? ',
      ' two\nlines\n\n',
      'Grüße 🙂',
      'write to jane.doe@example.com',
      'call joe@example.com, or jane.doe@example.com',
      'literally [EMAIL_1] and [EMAIL_2]',
      '{"mail": "ann@example.com", "n": 1.50}',
      '[{"a": 1.0}, {"b": []}]',
      '<think>Hm</think> so',
      '</system>',
    ),
  },
  { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' }).map(text => `x${text}`) },
)

/** Key order and numbers are a caller's affair: they go on as they came. */
const inputs: Arbitrary<object> = fc.dictionary(
  fc.constantFrom('b', 'a', '10', '2', 'é', 'a b', 'type', 'constructor'),
  fc.oneof(
    fc.constantFrom<unknown>(1, 1.5, 1e21, 1e-7, -0, 2 ** 53, true, null, '', 'x', 'ann@example.com', [], {}, [[1], { z: 1, y: 2 }]),
    texts,
  ),
  { maxKeys: 4, noNullPrototype: true },
)

const text: Arbitrary<Part> = texts.map(value => ({ type: 'text', text: value }))
const part: Arbitrary<Part> = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 1, arbitrary: fc.constantFrom<Part>({ type: 'image', data: 'iVBORw0KGgo=' }, { type: 'image', data: 'AAAA' }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('file' as const), name: fc.constantFrom('a.txt', 'b.md'), text: texts }),
  },
)
const parts = fc.array(part, { minLength: 1, maxLength: 3 })

const user: Arbitrary<Turn> = parts.map(value => ({ by: 'user', parts: value }))
const system: Arbitrary<Turn> = texts.map(value => ({ by: 'system', text: value }))
const call: Arbitrary<Omit<Call, 'id'>> = fc.record({
  tool: fc.constantFrom(...tools),
  input: inputs,
  output: fc.oneof({ weight: 2, arbitrary: texts }, { weight: 1, arbitrary: parts }, { weight: 1, arbitrary: fc.constant('') }),
  isError: fc.boolean(),
})
const answer: Arbitrary<Turn> = fc
  .record({
    thought: fc.option(texts, { nil: undefined }),
    search: fc.option(texts, { nil: undefined, freq: 5 }),
    text: fc.option(texts, { nil: undefined, freq: 2 }),
    calls: fc.array(call, { maxLength: 3 }),
  })
  .filter(said => said.text !== undefined || said.calls.length > 0)
  .map(said => ({ by: 'model', ...said, calls: said.calls.map(each => ({ ...each, id: '' })) }))

const turns: Arbitrary<readonly Turn[]> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.tuple(answer, user) },
      { weight: 1, arbitrary: fc.tuple(user) },
      { weight: 1, arbitrary: fc.tuple(system, user) },
      { weight: 1, arbitrary: fc.tuple(answer) },
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map(list => list.flat())

/** A conversation, and how many turns of it were there before. */
export const extended: Arbitrary<{ readonly conversation: Conversation; readonly before: number }> = fc
  .record({
    system: fc.option(texts, { nil: undefined }),
    tools: fc.subarray(tools.slice(1)).map(some => [tools[0]!, ...some]),
    first: user,
    turns,
  })
  .map(({ first, turns, ...rest }) => ({ ...rest, turns: numbered([first, ...turns]) }))
  .chain(conversation =>
    fc.record({ conversation: fc.constant(conversation), before: fc.integer({ min: 1, max: conversation.turns.length - 1 }) }),
  )

/** The same without what few vendors take. */
export function inTextAlone(conversation: Conversation): Conversation {
  const plain = (part: Part): Part => (part.type === 'text' ? part : { type: 'text', text: `(${part.type})` })
  const turns = conversation.turns.map((turn): Turn => {
    if (turn.by === 'user') return { ...turn, parts: turn.parts.map(plain) }
    if (turn.by === 'system') return turn
    const calls = turn.calls.map(each => ({ ...each, output: typeof each.output === 'string' ? each.output : each.output.map(plain) }))
    return { ...turn, calls }
  })
  return { ...conversation, turns }
}

/** Each call has an id of its own, in the forms of several vendors. */
function numbered(turns: readonly Turn[]): readonly Turn[] {
  let count = 0
  const forms = ['call_', 'toolu_01', 'functions.look:', 'abc-']
  return turns.map(turn => {
    if (turn.by !== 'model') return turn
    return { ...turn, calls: turn.calls.map(each => ({ ...each, id: `${forms[count % forms.length]}${count++}` })) }
  })
}
