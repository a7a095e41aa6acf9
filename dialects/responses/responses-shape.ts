import type { HostPlugin } from '../host/host-plugin.ts'
import { departuresShape, placeShape } from '../host/host-shape.ts'
import { pluginShape } from '../host/plugin-shape.ts'
import { aPattern, listOf, membersLike, aCount, valueLike, wordOf, type Check, type Shape } from '../host/table-shape.ts'
import { embeddingShape } from '../retrieval/form-shapes.ts'
import { responsesMembers, responsesUnsupported, type ResponsesHost } from './responses-host.ts'

const trueOrFalse = valueLike('true or false', value => typeof value === 'boolean')

const embeddings: Check = (value, path, report) => {
  if (value !== false) membersLike(embeddingShape)(value, path, report)
}

/** The check of every member of a host's table. */
export const responsesShape: Shape<ResponsesHost & HostPlugin<ResponsesHost>> = {
  ...pluginShape,
  ...placeShape,
  ...departuresShape(responsesMembers),
  without: listOf(wordOf(...responsesUnsupported)),
  reasoningState: trueOrFalse,
  contextManagement: trueOrFalse,
  obfuscation: trueOrFalse,
  minOutputTokens: aCount,
  search: membersLike({ models: listOf(aPattern), excludesDomains: aPattern }, ['models']),
  embeddings,
}
