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

interface VertexBody {
  readonly instances: readonly { readonly content: string }[]
  readonly parameters: { readonly outputDimensionality?: number }
}

export function vertexReply({ body }: ReceivedRequest): FakeReply {
  const { instances, parameters } = body as VertexBody
  const predictions = instances.map(({ content }) => ({
    embeddings: {
      values: vectorOf(content, parameters.outputDimensionality),
      statistics: { token_count: content.length, truncated: false },
    },
  }))
  return json({ predictions })
}

interface CohereBody {
  readonly texts: readonly string[]
  readonly embedding_types: readonly ['float' | 'base64']
  readonly output_dimension?: number
}

export function cohereReply({ body }: ReceivedRequest): FakeReply {
  const { texts, embedding_types: types, output_dimension } = body as CohereBody
  const vectors = texts.map(text => vectorOf(text, output_dimension))
  const [type] = types
  const tokens = texts.reduce((sum, { length }) => sum + length, 0)
  return json({
    id: 'demo',
    texts,
    embeddings: { [type]: type === 'base64' ? vectors.map(base64Of) : vectors },
    meta: { api_version: { version: '2' }, billed_units: { input_tokens: tokens } },
  })
}

/** Titan and Cohere, by the body. */
export function bedrockReply(request: ReceivedRequest): FakeReply {
  const { inputText, dimensions, texts = [] } = request.body as { inputText?: string; dimensions?: number; texts?: readonly string[] }
  if (inputText !== undefined) return json({ embedding: vectorOf(inputText, dimensions), inputTextTokenCount: inputText.length })
  const tokens = texts.reduce((sum, { length }) => sum + length, 0)
  const { meta: _, ...body } = JSON.parse(cohereReply(request).body as string) as { meta: unknown }
  const reply = json(body)
  return { ...reply, headers: { ...reply.headers, 'x-amzn-bedrock-input-token-count': String(tokens) } }
}

interface OllamaBody {
  readonly input: readonly string[]
  readonly dimensions?: number
}

export function ollamaReply({ body }: ReceivedRequest): FakeReply {
  const { input, dimensions } = body as OllamaBody
  const tokens = input.reduce((sum, { length }) => sum + length, 0)
  return json({ model: 'demo', embeddings: input.map(text => vectorOf(text, dimensions)), prompt_eval_count: tokens })
}
