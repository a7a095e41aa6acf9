import { withoutExtras } from '../../guards/without-extras.ts'
import { dialectOf } from '../../routing/dialects.ts'
import type { Draft } from './draft.ts'

/**
 * Leaves out what only the dialect of the caller can say, unless the provider speaks that dialect. A provider that does not name its dialect
 * still gets the top-level members, and decides itself.
 */
export function lowerExtras(draft: Draft): void {
  const { request, warnings } = draft
  const { extra } = request
  if (!extra) return
  const spoken = dialectOf(draft.provider, draft.endpoint)
  if (extra.dialect === spoken) return
  const { request: plain, losses } = withoutExtras(request)
  const leftOut = (param: string, what: string): void =>
    void warnings.push({ param, message: `${what} was left out: this model's API does not have it` })
  if (spoken !== undefined) {
    for (const name of losses.members) leftOut(name, 'it')
    delete request.extra
  }
  for (const param of ['input', 'tools'] as const) for (const name of losses.within[param]) leftOut(param, `"${name}"`)
  request.input = plain.input
  if (plain.tools) request.tools = plain.tools
}
