import t from 'tap'
import { decisionTexts, type DecisionRequest } from '../../../core/kit.ts'

const request: DecisionRequest = {
  model: 'one',
  form: 'items',
  state: [
    { type: 'message', role: 'system', content: 'rule' },
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'hi', prompt_cache_breakpoint: { mode: 'explicit' }, novelty: { mode: 'hidden', type: 'secret' } },
        { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
        { type: 'input_image', image_url: 'https://example.com/x.png' },
        { type: 'input_json', data: { key: ['deep', { role: 'boss' }] } },
      ],
    },
    { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
    { type: 'function_call', call_id: 'call-7', name: 'look', arguments: '{"a":1}' },
    { type: 'function_call_output', call_id: 'call-7', output: [{ type: 'input_text', text: 'found' }] },
    { type: 'custom_tool_call', call_id: 'call-8', name: 'run', input: 'ls' },
    { type: 'custom_tool_call_output', call_id: 'call-8', output: 'files' },
  ],
  questions: {
    'who?': { type: 'noul', instructions: [{ type: 'input_text', text: 'asked' }] },
    question_2: { type: 'choice', name: null, instructions: 'Which?', criteria: { red: 'a colour', true: null } },
    again: { type: 'score', name: 'who?', criteria: ['low end', { label: 'top', description: 'most' }] },
  },
}

t.test('every text of a conversation is seen, and only words of the protocol are not', async t => {
  const { slots, unreadable } = decisionTexts(request)
  const seen = (kind: 'text' | 'fixed'): readonly string[] => slots.filter(slot => slot.kind === kind).map(({ text }) => text)
  const free = [
    'rule',
    'hi',
    'deep',
    'boss',
    'no',
    '{"a":1}',
    'found',
    'ls',
    'files',
    'asked',
    'Which?',
    'a colour',
    'low end',
    'top',
    'most',
  ]
  t.same(seen('text').toSorted(), free.toSorted())
  const fixed = [...new Set(seen('fixed'))]
  for (const text of [
    'novelty',
    'hidden',
    'secret',
    'https://example.com/x.png',
    'key',
    'call-7',
    'look',
    'run',
    'who?',
    'question_2',
    'red',
  ])
    t.ok(fixed.includes(text), text)
  for (const text of ['user', 'message', 'explicit', 'input_text', 'content']) t.notOk(fixed.includes(text), text)
  t.notOk(
    slots.some(({ text }) => text.includes('base64')),
    'the bytes of images are no text',
  )
  t.same(unreadable, ['input[1].content[1].image_url', 'input[1].content[2].image_url'])
  t.equal(slots.find(({ text }) => text === 'hi')?.path, 'input[1].content[0].text')
})

t.test('what replaces a text is in the copy, and everything else stays', async t => {
  const texts = decisionTexts(request)
  for (const { kind, replace, text } of texts.slots) if (kind === 'text') replace(`${text}!`)
  t.same(JSON.parse(JSON.stringify(texts.request).replaceAll(/!(?=")/g, '')), request)
  t.match(texts.request.state, [{ content: 'rule!' }, { content: [{ text: 'hi!' }] }])
})
