import t from 'tap'
import { recordedReply, recordings, recordingsAbsent } from '../../../kit/recordings.ts'
import { Oracle, wireOf } from './oracle.ts'
import type { Reading } from './reading.ts'

// Compares the oracle with the labels that the collectors of the recordings found by other means.

const promises: Readonly<Record<string, (reading: Reading) => boolean>> = {
  text: ({ text, reasoning }) => text !== '' || reasoning !== '',
  // A search of the vendor's own is a call as well.
  tool_call: ({ toolCalls, others }) => toolCalls.length > 0 || others.some(other => other.startsWith('web_search_call')),
  tool_call_parallel: ({ toolCalls }) => toolCalls.length > 1,
  reasoning_text: ({ reasoning }) => reasoning !== '',
  reasoning_summary: ({ reasoning }) => reasoning !== '',
  refusal: ({ refusal, finish }) => refusal !== '' || finish === 'content-filter',
  max_tokens: ({ finish }) => finish === 'length',
  stream_error: ({ error }) => error !== null,
  stream_error_first: ({ error }) => error !== null,
  response_error: ({ error }) => error !== null,
}

t.test('the oracle finds in every recording what its labels promise', { skip: recordingsAbsent }, async t => {
  const oracle = await Oracle.start()
  t.teardown(() => oracle.close())
  let read = 0
  const withoutSdk: string[] = []
  for (const recording of recordings()) {
    const wire = wireOf(recording.api)
    const reply = recordedReply(recording)
    if (!wire || !reply) continue
    const { status, behaviours, oddities, mode, path } = recording
    const reading = await oracle.read(wire, { status, headers: reply.headers, body: reply.body }, mode === 'stream')
    read++
    if (reading.withoutSdk) withoutSdk.push(`${path}: ${reading.withoutSdk}`)
    if (status >= 400 && reading.error?.status !== status) t.fail(`${path}: ${status} was read as ${JSON.stringify(reading.error)}`)
    if (status >= 400) continue
    // An answer that is nothing but a thought between tags was labelled as text.
    if (oddities.includes('think-tags-in-content') && reading.text === '') continue
    for (const label of behaviours)
      if (promises[label]?.(reading) === false) t.fail(`${path} has the label ${label}, which the reading lacks`)
  }
  t.comment(`${read} recordings read, ${withoutSdk.length} of them without the vendor's SDK:`, withoutSdk)
  t.ok(read > 0)
})
