import type { FakeReply } from '../../../core/testing/index.ts'

export interface VendorQuestion {
  readonly type: 'predicate' | 'choice' | 'score'
  readonly name?: string
  readonly instructions: unknown
  readonly choices?: readonly { readonly value: string | boolean }[]
  readonly levels?: readonly { readonly label: string }[]
}

export interface VendorRequest {
  readonly model: string
  readonly input: unknown
  readonly questions: readonly VendorQuestion[]
}

/** The vendor of the public Decisions API: the first choice and the first level are sure, and everything else is one in four. */
export function publicVendor({ model, questions }: VendorRequest): FakeReply {
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 40, cache_write_tokens: 0 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 2 },
    total_tokens: 110,
  }
  const body = JSON.stringify({ id: 'theirs', created: 7, model: `${model}-2026-09-01`, answers: questions.map(answerTo), usage })
  return { headers: { 'content-type': 'application/json', 'x-request-id': 'vnd-1' }, body }
}

function answerTo({ type, name = undefined, instructions, choices = [], levels = [] }: VendorQuestion): object {
  const told = { type, name: name ?? null }
  if (instructions === 'Refuse this.') return { ...told, type: 'refusal' }
  if (type === 'predicate') return { ...told, probability: 0.25, because: 'so' }
  if (type === 'choice') {
    const probabilities = choices.map(({ value }, index) => ({ value, probability: Number(index === 0) }))
    return { ...told, choice: choices[0]!.value, confidence: 1, probabilities }
  }
  const probabilities = levels.map(({ label }, value) => ({ label, value, probability: Number(value === 0) }))
  return { ...told, score: 0, confidence: 1, probabilities }
}
