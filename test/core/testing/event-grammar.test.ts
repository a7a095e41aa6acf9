import t from 'tap'
import { checkEvents, checkResponse, checkStream, ContractError, readEvents } from '../../../core/testing/index.ts'
import { legalStreams, response, type Event } from './legal-streams.ts'

const frames = (events: readonly Event[]): string =>
  events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
const renumbered = (events: readonly Event[]): Event[] => events.map((event, index) => ({ ...event, sequence_number: index }))

/** The first mistake of a stream. Undefined if it has none. */
function problem(events: readonly Event[]): string | undefined {
  try {
    checkEvents(events)
    return undefined
  } catch (error) {
    if (error instanceof ContractError) return error.message
    throw error
  }
}

t.test('allows what the protocol allows', async t => {
  for (const [name, events] of Object.entries(legalStreams)) {
    const checked = checkStream(frames(events))
    t.same(checked.response, events.at(-1)!.response, name)
    t.equal(checked.items.length, events.filter(event => event.type === 'response.output_item.done').length)
  }
})

interface Mutant {
  readonly name: string
  readonly events: readonly Event[]
}

/** Every single step by which a stream goes wrong: an event too few, too many, out of place, or with a wrong place on it. */
function* mutants(events: readonly Event[]): Generator<Mutant> {
  for (const [index, event] of events.entries()) {
    const place = `${index} ${event.type}`
    const next = events[index + 1]
    const replaced = (changed: Event): Event[] => events.with(index, changed)
    yield { name: `drop ${place}`, events: renumbered(events.toSpliced(index, 1)) }
    yield { name: `repeat ${place}`, events: renumbered(events.toSpliced(index, 0, event)) }
    if (next) yield { name: `swap ${place} with ${next.type}`, events: renumbered(events.with(index, next).with(index + 1, event)) }
    for (const member of Object.keys(event)) {
      const { [member]: value, ...rest } = event
      yield { name: `${place} without ${member}`, events: replaced(rest) }
      if (typeof value === 'number') {
        yield { name: `${place} with ${member} + 1`, events: replaced({ ...event, [member]: value + 1 }) }
        yield { name: `${place} with ${member} - 1`, events: replaced({ ...event, [member]: value - 1 }) }
      } else if (typeof value === 'string')
        yield { name: `${place} with another ${member}`, events: replaced({ ...event, [member]: `${value}x` }) }
    }
    yield { name: `${place} with obfuscation`, events: replaced({ ...event, obfuscation: 'x' }) }
    for (const holder of ['item', 'part', 'response'] as const)
      for (const member of Object.keys(event[holder] ?? {})) {
        const { [member]: value, ...rest } = event[holder]
        yield { name: `${place} without ${holder}.${member}`, events: replaced({ ...event, [holder]: rest }) }
        if (typeof value === 'string')
          yield {
            name: `${place} with another ${holder}.${member}`,
            events: replaced({ ...event, [holder]: { ...rest, [member]: `${value}x` } }),
          }
      }
  }
}

/** Changes after which a stream is still one that the protocol allows. */
const stillLegal: readonly (readonly [stream: string, mutation: RegExp, reason: string])[] = [
  ['heartbeats', /^(drop|repeat) \d+ response.in_progress$/, 'a heartbeat comes whenever it is needed'],
  ['heartbeats', /^swap \d+ response.in_progress with response.(in_progress|output_item.added)$/, 'a heartbeat may stand anywhere'],
  ['heartbeats', /^swap \d+ response.output_item.done with response.in_progress$/, 'a heartbeat may show an item that is still open'],
  ['annotations', /^swap \d+ response.output_text.delta with response.output_text.annotation.added$/, 'deltas and annotations mix freely'],
  ['annotations', /^swap \d+ response.output_text.annotation.added with response.output_text.delta$/, 'deltas and annotations mix freely'],
  ['reasoning', /^1 response.output_item.added without item.status$/, 'reasoning items need no status'],
  ['items without a body', /^\d+ response.output_item.added without item.status$/, 'neither do custom tool calls'],
  ['items without a body', /^\d+ response.output_item.added with another item.input$/, 'a custom input is not built from deltas'],
  ['failure inside an item', /^(drop|repeat) 9 |^9 .* with another delta$/, 'what a failure leaves unfinished agrees with nothing yet'],
  ['failure that keeps nothing', /^drop 6 response.output_item.done$/, 'a failure may come before the end of an item'],
]

t.test('refuses every stream that differs from a legal one in one place', async t => {
  let count = 0
  const used = new Set<readonly unknown[]>()
  const survivors: string[] = []
  for (const [name, events] of Object.entries(legalStreams))
    for (const mutant of mutants(events)) {
      count++
      if (problem(mutant.events) !== undefined) continue
      const entry = stillLegal.find(([stream, mutation]) => stream === name && mutation.test(mutant.name))
      if (entry) used.add(entry)
      else survivors.push(`${name}: ${mutant.name}`)
    }
  t.same(survivors, [])
  t.same(
    stillLegal.filter(entry => !used.has(entry)),
    [],
    'every entry of the table is needed',
  )
  t.comment(`${count} mutants`)
})

t.test('compares what only several events together can tell', t => {
  const text = legalStreams.text!
  const [created, added, part, delta] = text as [Event, Event, Event, Event]
  const terminal = text.at(-1)!
  const ending = (members: Event): Event[] => text.with(-1, { ...terminal, response: { ...terminal.response, ...members } }) as Event[]
  const withUsage = (members: Event): Event[] => ending({ usage: { ...terminal.response.usage, ...members } })
  const calls = legalStreams['parallel calls']!
  const failed = legalStreams['failure inside an item']!
  const beats = legalStreams.heartbeats!
  const annotated = legalStreams.annotations!
  const edited = (events: readonly Event[], index: number, edit: (event: Event) => void): Event[] => {
    const event = structuredClone(events.at(index)!)
    edit(event)
    return events.with(index, event)
  }
  /** The same in every event that shows it. */
  const throughout = (events: readonly Event[], from: string, to: string): Event[] =>
    JSON.parse(JSON.stringify(events).replaceAll(from, to)) as Event[]
  const refused: Readonly<Record<string, readonly [readonly Event[], RegExp]>> = {
    'an unknown event': [[created, { ...added, type: 'response.queued' }], /^event 1 \(response.queued\): there is no such event$/],
    'no events': [[], /ends without a terminal event/],
    'no terminal': [text.slice(0, -1), /ends without a terminal event/],
    'two items open at once': [
      renumbered([created, added, { ...added, output_index: 1, item: { ...added.item, id: 'msg_2' } }]),
      /item 0 is still open/,
    ],
    'a delta outside a part': [renumbered([created, added, delta]), /no part is open/],
    'a delta outside an item': [renumbered([created, delta]), /no item is open/],
    'a part of a kind that the item has not': [
      renumbered([created, added, { ...part, part: { type: 'reasoning_text', text: '' } }]),
      /a message has no reasoning_text parts/,
    ],
    'a failure without an error event': [
      legalStreams['failure before any item']!.toSpliced(1, 1).map((event, index) => ({ ...event, sequence_number: index })),
      /without an error event/,
    ],
    'a heartbeat between error and failed': [
      renumbered(legalStreams['failure before any item']!.toSpliced(2, 0, { ...created, type: 'response.in_progress' })),
      /only response.failed may follow error/,
    ],
    'something after the end': [renumbered([...text, { ...created, type: 'response.in_progress' }]), /nothing may follow/],
    'another model at the end': [ending({ model: 'demo/other' }), /response.model is demo\/other/],
    'an end that leaves an item out': [ending({ output: [] }), /response.output is \[\]/],
    'a completed response that failed': [ending({ error: { code: 'server_error', message: 'x' } }), /response.error is/],
    'usage that does not add up': [withUsage({ total_tokens: 20 }), /not the sum/],
    'usage in fractions': [withUsage({ output_tokens: 8.5, total_tokens: 20.5 }), /output_tokens must be integer/],
    'more reasoning than output': [withUsage({ output_tokens_details: { reasoning_tokens: 10 } }), /more reasoning tokens/],
    'no usage': [ending({ usage: null }), /usage is null/],
    'more cached tokens than input': [
      withUsage({ input_tokens_details: { cached_tokens: 11, cache_write_tokens: 2, cached_tokens_created: 2 } }),
      /more cached tokens/,
    ],
    'two counts of cache writes': [
      withUsage({ input_tokens_details: { cached_tokens: 3, cache_write_tokens: 2, cached_tokens_created: 0 } }),
      /cached_tokens_created differs/,
    ],
    'usage before the end': [edited(text, 0, ({ response }) => (response.usage = terminal.response.usage)), /usage is set before the end/],
    'output at the beginning': [
      edited(text, 0, ({ response }) => (response.output = terminal.response.output)),
      /response.output is not empty/,
    ],
    'an end of another status': [
      edited(text, -1, ({ response }) =>
        Object.assign(response, { status: 'failed', completed_at: null, error: { code: 'server_error', message: 'x' } }),
      ),
      /status is failed instead of completed/,
    ],
    'reasons for an end that was complete': [ending({ incomplete_details: { reason: 'content_filter' } }), /incomplete_details is/],
    'an end while an item is open': [
      renumbered([created, added, edited(text, -1, ({ response }) => (response.output = [])).at(-1)!]),
      /an item is still open/,
    ],
    'an item done while its part is open': [renumbered(text.toSpliced(-3, 1)), /a part is still open/],
    'a heartbeat with another item': [
      edited(beats, 8, ({ response }) => (response.output[0].id = 'msg_7')),
      /another item than the one added/,
    ],
    'two items of one id': [throughout(calls, 'fc_2', 'fc_1'), /item.id fc_1 is that of an earlier item/],
    'two calls of one call_id': [throughout(calls, 'call_2', 'call_1'), /item.call_id call_1 is that of an earlier call/],
    'an index left out': [throughout(calls, '"output_index":1', '"output_index":2'), /output_index is 2, and the next is 1/],
    'two codes for one failure': [
      edited(failed, -1, ({ response }) => (response.error.code = 'server_error')),
      /the error event said provider_error/,
    ],
    'a failure that rewrites what was done': [
      edited(failed, -1, ({ response }) => (response.output[0].status = 'incomplete')),
      /differs from the item of the events/,
    ],
    'a summary after the reasoning': [
      renumbered([
        ...legalStreams.reasoning!.slice(0, 2),
        ...legalStreams.reasoning!.slice(11, 16),
        ...legalStreams.reasoning!.slice(2, 7),
      ]),
      /a summary part comes after a content part/,
    ],
    'arguments of a message': [renumbered([created, added, { ...calls[2]!, item_id: 'msg_1' }]), /a message has no arguments/],
    'a delta of another kind than the part': [
      renumbered([
        created,
        added,
        part,
        { type: 'response.refusal.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'No' },
      ]),
      /the open part is of the kind output_text/,
    ],
    'a part that ends as another kind': [
      edited(text, -3, event => (event.part = { type: 'refusal', refusal: 'Hello there' })),
      /part.type is refusal/,
    ],
    'logprobs that only the deltas have': [
      edited(text, 3, event => (event.logprobs = [{ token: 'Hel', logprob: -0.1 }])),
      /logprobs differ/,
    ],
    'an annotation beyond the text': [throughout(annotated, '"end_index":12', '"end_index":99'), /reaches from 5 to 99 in a text of 13/],
  }
  for (const [name, [events, message]] of Object.entries(refused)) t.match(problem(events), message, name)
  t.end()
})

t.test('the option events: documented', t => {
  t.throws(() => checkEvents(legalStreams.refusal!, { events: 'documented' }), /there is no such event/)
  for (const name of ['refusal', 'annotations']) {
    const kept = legalStreams[name]!.filter(({ type }) => !type.startsWith('response.refusal.') && !type.endsWith('annotation.added'))
    t.doesNotThrow(() => checkEvents(renumbered(kept), { events: 'documented' }), name)
    t.throws(() => checkEvents(renumbered(kept)), name)
  }
  t.end()
})

t.test('reads frames to the letter', t => {
  const one = 'event: error\ndata: {"type":"error"}\n\n'
  t.same(readEvents(`: ping\n\n${one}:\n\n`), [{ type: 'error' }])
  t.same(readEvents(''), [])
  const refused: Readonly<Record<string, RegExp>> = {
    [one.replaceAll('\n', '\r\n')]: /carriage return/,
    [one.trimEnd()]: /ends inside a frame/,
    [`${one}event: error\ndata: {"ty`]: /ends inside a frame/,
    [`\n${one}`]: /frame 0 is not/,
    [`\uFEFF${one}`]: /frame 0 is not/,
    [`${one}data: {"type":"error"}\n\n`]: /frame 1 is not/,
    'event: error\ndata: {\ndata: "type":"error"}\n\n': /frame 0 is not/,
    'event:error\ndata: {"type":"error"}\n\n': /frame 0 is not/,
    'id: 1\nevent: error\ndata: {"type":"error"}\n\n': /frame 0 is not/,
    'event: message\ndata: [DONE]\n\n': /is \[DONE\]/,
    'event: error\ndata: {"type"\n\n': /is not JSON/,
    'event: error\ndata: 7\n\n': /no object/,
    'event: error\ndata: {"type":"other"}\n\n': /named error, but its data has the type other/,
  }
  for (const [text, message] of Object.entries(refused)) t.throws(() => readEvents(text), message)
  t.end()
})

t.test('checks the object of a reply that did not stream', t => {
  const message = {
    type: 'message',
    id: 'msg_1',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Hi', annotations: [], logprobs: [] }],
  }
  const call = (id: string): Event => ({ type: 'function_call', id, status: 'completed', call_id: 'call_1', name: 'time', arguments: '{}' })
  const failed = { ...response('failed', []), error: { code: 'provider_error', message: 'No.', upstream_error: '{}' } }
  t.equal(checkResponse(response('completed', [message])).id, 'resp_1')
  t.equal(checkResponse(failed).error!.code, 'provider_error')
  const refused: readonly (readonly [Event, RegExp])[] = [
    [response('in_progress', []), /in_progress in a finished response/],
    [response('completed', [message, message]), /output.1 has the id msg_1/],
    [response('completed', [call('fc_1'), call('fc_2')]), /output.1 has the call_id call_1/],
    [response('completed', [{ ...message, status: 'incomplete' }]), /item msg_1 is incomplete/],
    [response('completed', [{ ...message, type: 'thought' }]), /value of tag "type"/],
    [response('completed', [{ ...message, phase: null }]), /phase must be equal to one of/],
    [response('completed', [{ ...message, content: [{ type: 'output_text', text: 'Hi', annotations: [] }] }]), /logprobs/],
    [response('completed', [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: null }]), /encrypted_content must be string/],
    [{ ...failed, error: { code: 'overloaded', message: 'No.' } }, /error/],
    [{ ...failed, error: { ...failed.error, type: 'x' } }, /error/],
    [{ ...response('completed', []), output_text: '' }, /must NOT be valid/],
    [{ ...response('completed', []), completed_at: null }, /completed_at is null/],
    [{ ...response('completed', []), model: 'small-1' }, /model must match pattern/],
    [{ ...response('completed', []), reasoning: { effort: 'low' } }, /reasoning/],
    [{ ...response('completed', []), tools: [{ type: 'function', name: 'f' }] }, /tools.0/],
    [{ ...response('completed', []), tool_choice: { type: 'allowed_tools', tools: [] } }, /tool_choice/],
  ]
  for (const [object, message] of refused) t.throws(() => checkResponse(object), message)
  t.end()
})
