import type { AdminExchange } from '../../../core/admin.ts'

/** The id in the path. Names that people chose may have any characters. */
export function pathId({ params }: AdminExchange): string {
  const id = params['id'] ?? ''
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}
