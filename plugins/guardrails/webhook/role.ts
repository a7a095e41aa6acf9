import type { GenerationRequest } from '../../../core/index.ts'

const inItem = /^input\[(\d+)\]/

/** Who said the text at a place of the request: `user`, `system`, `developer`, `assistant` or `tool`. Null if nobody did. */
export function roleAt(place: string, { input }: GenerationRequest): string | null {
  if (place === 'instructions') return 'system'
  const [, index] = inItem.exec(place) ?? []
  const item = index === undefined ? undefined : input[Number(index)]
  if (!item) return null
  if (item.type === 'message') return item.role
  return item.type.endsWith('_output') ? 'tool' : 'assistant'
}
