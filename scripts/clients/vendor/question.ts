/** What a request asks, whatever the wire. */
export interface Question {
  readonly model: string
  readonly streamed: boolean
  /** The conversation in order, without the system's words. */
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  readonly images: readonly Image[]
  /** The schema of the answer, if it has to be JSON. */
  readonly schema: object | undefined
  /** It wants an item that stands for the conversation: by an item, or by its address. */
  readonly compacts?: 'trigger' | 'route' | undefined
  /** It takes the model's thoughts, with the state that has to come back with the calls that follow them. */
  readonly thinks?: boolean
}

export type Turn =
  | { readonly type: 'said'; readonly by: 'user' | 'model'; readonly text: string }
  | { readonly type: 'thought'; readonly state: string }
  | { readonly type: 'called'; readonly id: string; readonly name: string; readonly input: string }
  | { readonly type: 'returned'; readonly id: string; readonly text: string }

/** The user's words. */
export function textOf({ turns }: Question): string {
  return turns.flatMap(turn => (turn.type === 'said' && turn.by === 'user' ? [turn.text] : [])).join('\n')
}

/** The results of the tools, in order. */
export function outputsOf({ turns }: Question): readonly string[] {
  return turns.flatMap(turn => (turn.type === 'returned' ? [plain(turn.text)] : []))
}

/** Tools of Gemini return an object. */
export function plain(output: string): string {
  if (!/^\{"(name|output|result|content|return_value)":/.test(output)) return output
  const { name: _, ...said } = JSON.parse(output) as Readonly<Record<string, unknown>>
  const [text] = Object.values(said)
  return typeof text === 'string' ? text : output
}

export interface Tool {
  readonly name: string
  /** Its input is text, not JSON. */
  readonly custom?: boolean
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
