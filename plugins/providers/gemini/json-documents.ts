import { ProviderFailure } from '../../../core/index.ts'
import type { Framer } from '../../../core/kit.ts'

const maxDocumentCharacters = 8 * 1024 * 1024

/** Cuts a growing list, or a sequence, into JSON objects. Ignores everything between them. */
export function jsonDocumentFramer(): Framer {
  const text = new TextDecoder()
  let document = ''
  let depth = 0
  let inString = false
  let escaped = false
  return {
    feed(chunk, push) {
      const piece = text.decode(chunk, { stream: true })
      let start = 0
      for (let index = 0; index < piece.length; index++) {
        const character = piece[index]
        if (inString) {
          if (escaped) escaped = false
          else if (character === '\\') escaped = true
          else if (character === '"') inString = false
        } else if (depth > 0 && character === '"') inString = true
        else if (character === '{') {
          if (depth === 0) start = index
          depth += 1
        } else if (character === '}' && depth > 0) {
          depth -= 1
          if (depth > 0) continue
          push(document + piece.slice(start, index + 1))
          document = ''
        }
      }
      if (depth === 0) return
      document += piece.slice(start)
      if (document.length > maxDocumentCharacters)
        throw new ProviderFailure({ kind: 'protocol', message: 'The provider sent a JSON document larger than 8 MiB.' })
    },
  }
}
