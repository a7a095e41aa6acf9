import { fakeUpstream, Gate, sseFrame, type FakeReply, type FakeUpstream, type ReceivedRequest } from '../../../core/testing/index.ts'

/** Of every answer, in nano-dollars: 10 tokens of input at 1 dollar per million, and 5 of output at 2. */
export const answerNano = 20_000

interface Body {
  readonly stream?: boolean
  readonly messages: readonly { readonly content: string }[]
}

/**
 * The vendor behind all replicas. It counts by the label that a question begins with: `label: question`. Its clock is that of the test, so it
 * sees the order in which replicas let requests pass.
 */
export class Vendor {
  readonly #upstream: FakeUpstream
  readonly #counts = new Map<string, Count>()

  private constructor(upstream: FakeUpstream, counts: Map<string, Count>) {
    this.#upstream = upstream
    this.#counts = counts
  }

  static async start(): Promise<Vendor> {
    const counts = new Map<string, Count>()
    return new Vendor(await fakeUpstream(request => answer(request, counts)), counts)
  }

  get url(): string {
    return this.#upstream.url
  }

  count(label: string): Count {
    return countIn(this.#counts, label)
  }

  /** Requests that it got in all. */
  get total(): number {
    return [...this.#counts.values()].reduce((sum, { total }) => sum + total, 0)
  }

  async close(): Promise<void> {
    for (const { gate } of this.#counts.values()) gate?.open()
    await this.#upstream.close()
  }
}

export class Count {
  total = 0
  inProgress = 0
  /** The most at once. */
  peak = 0
  /** Whose client left before the end. */
  early = 0
  /** Answers wait for it. */
  gate: Gate | undefined
}

function countIn(counts: Map<string, Count>, label: string): Count {
  let count = counts.get(label)
  if (!count) counts.set(label, (count = new Count()))
  return count
}

function answer({ body, closed }: ReceivedRequest, counts: Map<string, Count>): FakeReply {
  const { stream, messages } = body as Body
  const count = countIn(counts, messages.at(-1)!.content.split(':')[0]!)
  count.total++
  count.inProgress++
  count.peak = Math.max(count.peak, count.inProgress)
  void closed.then(how => {
    count.inProgress--
    if (how === 'early') count.early++
  })
  const steps = count.gate ? [count.gate] : []
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  const of = (object: string, choices: readonly object[], more: object = {}): object => ({
    id: 'chatcmpl-demo',
    object,
    created: 1,
    model: 'acme-large',
    choices,
    ...more,
  })
  if (!stream) {
    const choice = { index: 0, message: { role: 'assistant', content: 'Because.' }, finish_reason: 'stop' }
    return { before: steps, body: JSON.stringify(of('chat.completion', [choice], { usage })) }
  }
  const chunk = (delta: object, finish: string | null): string =>
    sseFrame(of('chat.completion.chunk', [{ index: 0, delta, finish_reason: finish }]))
  return {
    headers: { 'content-type': 'text/event-stream' },
    body: [
      chunk({ role: 'assistant', content: 'Be' }, null),
      ...steps,
      chunk({ content: 'cause.' }, 'stop') + sseFrame(of('chat.completion.chunk', [], { usage })) + sseFrame('[DONE]'),
    ],
  }
}
