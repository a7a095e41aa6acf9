/** What a request asks, whatever the wire. */
export interface Question {
  readonly model: string
  readonly streamed: boolean
  /** What the user says, without the system's words. */
  readonly text: string
  readonly tools: readonly Tool[]
  /** What the tools returned, in order. */
  readonly outputs: readonly string[]
  readonly images: readonly Image[]
  /** The schema of the answer, if it has to be JSON. */
  readonly schema: object | undefined
}

export interface Tool {
  readonly name: string
  readonly schema: Schema
}

export interface Schema {
  readonly properties?: Readonly<Record<string, object>>
}

export interface Image {
  readonly type: string
  readonly bytes: number
}

export function imageOf(type: string, base64: string): Image {
  return { type, bytes: Buffer.from(base64, 'base64').length }
}

/** Undefined if it is not a `data:` URL. */
export function imageOfUrl(url: string): Image | undefined {
  const [, type, base64] = /^data:([^;]+);base64,(.*)$/s.exec(url) ?? []
  return type === undefined || base64 === undefined ? undefined : imageOf(type, base64)
}
