import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]

/** Colors, on a terminal only. The variables `NO_COLOR` and `FORCE_COLOR` decide where they are set. */
export class Paint {
  readonly #stream: NodeJS.WriteStream

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream
  }

  apply(format: Format, text: string): string {
    return styleText(format, text, { stream: this.#stream })
  }
}
