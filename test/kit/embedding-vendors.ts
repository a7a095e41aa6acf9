import type { Test } from 'tap'
import { fakeUpstream, type FakeUpstream } from '../../core/testing/index.ts'
import type { FakeReply, ReceivedRequest } from '../../core/testing/fake-upstream.ts'

// Vendors that make embeddings, in the formats of their public documentation.

/** A vector that tells its text: 32-bit floats, so that base64 loses nothing. */
export function vectorOf(text: string, length = 4): readonly number[] {
  return Array.from({ length }, (_, index) => Math.fround(Math.sin(text.length * 31 + (text.charCodeAt(index % text.length) || 0) + index)))
}

export function base64Of(numbers: readonly number[]): string {
  return Buffer.from(Float32Array.from(numbers).buffer).toString('base64')
}

export function json(body: unknown, status = 200): FakeReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

interface OpenaiBody {
  readonly model: string
  readonly input: readonly (string | readonly number[])[]
  readonly dimensions?: number
  readonly encoding_format?: string
}

/** OpenAI's embeddings: a token for each character. */
export function openaiReply({ body }: ReceivedRequest): FakeReply {
  const { model, input, dimensions, encoding_format } = body as OpenaiBody
  const data = input.map((each, index) => {
    const vector = vectorOf(typeof each === 'string' ? each : each.join(' '), dimensions)
    return { object: 'embedding', index, embedding: encoding_format === 'base64' ? base64Of(vector) : vector }
  })
  const tokens = input.reduce((sum, { length }) => sum + length, 0)
  return json({ object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } })
}

interface GeminiBody {
  readonly requests: readonly {
    readonly content: { readonly parts: readonly { readonly text: string }[] }
    readonly outputDimensionality?: number
  }[]
}

export function geminiReply({ body }: ReceivedRequest): FakeReply {
  const { requests } = body as GeminiBody
  // The vendor indents its JSON.
  const embeddings = requests.map(({ content, outputDimensionality }) => ({
    values: vectorOf(content.parts[0]!.text, outputDimensionality),
  }))
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ embeddings }, undefined, 2) }
}

/** A vendor on loopback, closed when the test is over. */
export async function vendor(t: Test, reply: (request: ReceivedRequest) => FakeReply): Promise<FakeUpstream> {
  const upstream = await fakeUpstream(reply)
  t.teardown(() => upstream.close())
  return upstream
}
