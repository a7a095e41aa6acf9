type Json = Readonly<Record<string, unknown>>

/** A surface that can be tried, as the admin API lists it. */
export interface Trial {
  readonly name: string
  readonly title: string
  /** The kind of models that it asks, such as `generation`. */
  readonly kind: string
  readonly path: string
  readonly example: Json
  /** Where an answer has its text, such as `choices.*.delta.content`. */
  readonly texts: readonly string[]
  readonly thoughts: readonly string[]
}

/** The texts of a body or an event that are at these paths. */
export function textAt(value: unknown, paths: readonly string[]): string {
  return paths
    .flatMap(path =>
      path
        .split('.')
        .reduce(membersOf, [value])
        .filter(each => typeof each === 'string'),
    )
    .join('')
}

function membersOf(values: readonly unknown[], name: string): readonly unknown[] {
  return values.flatMap(value => {
    if (name === '*') return Array.isArray(value) ? (value as readonly unknown[]) : []
    return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? [(value as Json)[name]] : []
  })
}

/** The message of an error in a stream, whatever surrounds it. */
export function errorIn(event: unknown): string | undefined {
  return textAt(event, ['error.message']) || undefined
}

/** The body that somebody wrote, with the model. Throws if it is no JSON object. */
export function bodyOf(model: string, text: string): Json {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (error) {
    throw new Error(`The body is not valid JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Error('The body must be a JSON object, such as {"input": "…"}.')
  return { model, ...body }
}

/** Where the public API takes a body, and what of it. Some surfaces have the model in their path. */
export function addressed({ path }: Pick<Trial, 'path'>, body: Json): { readonly path: string; readonly body: Json } {
  if (!path.includes('{model}')) return { path, body }
  const { model, ...rest } = body
  return { path: path.replace('{model}', () => encodeURIComponent(String(model))), body: rest }
}

const longestList = 8
/** What a page still shows without delay. */
const longestText = 200_000

/** JSON for people. Of long lists of numbers, such as vectors, only the beginning. */
export function pretty(value: unknown): string {
  const shorten = (_: string, each: unknown): unknown =>
    Array.isArray(each) && each.length > longestList && each.every(one => typeof one === 'number')
      ? [...each.slice(0, longestList), `… ${each.length} numbers`]
      : each
  const text = JSON.stringify(value, shorten, 2)
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text
}
