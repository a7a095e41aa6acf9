import type { Exchange } from '../../../core/index.ts'
import { limitIn, onlyOne } from './limit.ts'
import type { Cut, ListForm } from './list.ts'
import { modelSummary, summaryOfAuto } from './model.ts'

/** The list as clients of OpenAI's API read it. */
export const openAiForm: ListForm = {
  entry: modelSummary,
  auto: summaryOfAuto,
  lists: () => true,
  body: ({ entries, firstId, lastId, hasMore }) =>
    `{"object":"list","data":[${entries.join()}],"first_id":${JSON.stringify(firstId)},"last_id":${JSON.stringify(lastId)},"has_more":${hasMore}}`,
}

export function openAiCut({ query }: Exchange): Cut {
  const after = onlyOne(query, 'after')
  return { limit: limitIn(query), after: after === undefined ? undefined : { parameter: 'after', id: after } }
}
