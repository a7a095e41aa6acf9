import { ProviderFailure, type SlowStream } from '../../contracts/provider.ts'
import { own, wording } from '../../foundation/wording.ts'
import { estimateTokens } from '../../tokens/estimate.ts'
import type { Attempt } from './attempt.ts'

/** Watches whether a stream that has begun is fast enough. Gives the attempt up if it is not. */
export class StreamPace {
  readonly #wantedTokens: number
  readonly #timer: NodeJS.Timeout
  #characters = 0

  constructor({ tokensPerSecond, overMs }: SlowStream, attempt: Attempt<any>) {
    this.#wantedTokens = (tokensPerSecond * overMs) / 1000
    const { id } = attempt.candidate.provider
    const message = wording`The provider "${own(id)}" sent fewer than ${own(tokensPerSecond)} tokens a second for ${own(overMs)} ms.`
    this.#timer = setTimeout(() => attempt.fail(new ProviderFailure({ kind: 'timeout', message })), overMs)
  }

  /** True once the stream has shown its pace, or is complete. Takes every event, from the first one on. */
  isEnough(event: { readonly type: string; readonly text?: unknown }): boolean {
    if (typeof event.text === 'string') this.#characters += event.text.length
    const isEnough = event.type === 'finish' || estimateTokens(this.#characters) >= this.#wantedTokens
    if (isEnough) this.stop()
    return isEnough
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
