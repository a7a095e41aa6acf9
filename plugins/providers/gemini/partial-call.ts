import type { WirePartialArgument } from './wire-reply.ts'

/** Assembles call arguments from pieces, each with its path (`streamFunctionCallArguments`). */
export class PartialCall {
  readonly #root: Record<string, unknown> = {}

  add(pieces: readonly WirePartialArgument[]): void {
    for (const piece of pieces) {
      const path = pathOf(piece.jsonPath ?? '')
      const last = path.pop()
      if (last === undefined) continue
      const holder = path.reduce<Record<string | number, unknown>>((node, key, index) => {
        node[key] ??= typeof (path[index + 1] ?? last) === 'number' ? [] : {}
        return node[key] as Record<string | number, unknown>
      }, this.#root)
      holder[last] = valueOf(piece, holder[last])
    }
  }

  get json(): string {
    return JSON.stringify(this.#root)
  }
}

/** Strings come in pieces, other values whole. */
function valueOf({ stringValue, numberValue, boolValue }: WirePartialArgument, before: unknown): unknown {
  if (stringValue !== undefined) return (typeof before === 'string' ? before : '') + stringValue
  return numberValue ?? boolValue ?? null
}

/** The part of RFC 9535 that the vendor uses: `$.a.b[0]['c d']`. */
function pathOf(jsonPath: string): (string | number)[] {
  return Array.from(
    jsonPath.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/g),
    ([, name, index, single, double]) => (index === undefined ? (name ?? (single ?? double ?? '').replace(/\\(.)/g, '$1')) : Number(index)),
  )
}
