import { efforts } from '../../core/kit.ts'
import type { HostPlugin } from '../host/host-plugin.ts'
import { departuresShape, placeShape } from '../host/host-shape.ts'
import { pluginShape } from '../host/plugin-shape.ts'
import { aPattern, listOf, membersLike, someText, turnedOn, wordOf, type Shape } from '../host/table-shape.ts'
import { embeddingShape, rerankShape } from '../retrieval/form-shapes.ts'
import { chatExtensions, chatMembers, chatUnsupported, type ChatHost } from './chat-host.ts'
import { searchForms } from './search.ts'

/** The check of every member of a host's table. */
export const chatShape: Shape<ChatHost & HostPlugin<ChatHost>> = {
  ...pluginShape,
  ...placeShape,
  ...departuresShape(chatMembers),
  without: listOf(wordOf(...chatUnsupported)),
  extensions: listOf(wordOf(...chatExtensions)),
  developerRole: turnedOn,
  customTools: turnedOn,
  toolChoice: wordOf('all', 'modes', 'auto'),
  wholeWithTools: turnedOn,
  reasoning: wordOf('reasoning', 'reasoning_content', 'reasoning_details', 'thinking'),
  reasoningMember: someText,
  effort: wordOf('reasoning', 'thinking', 'enable_thinking'),
  efforts: listOf(wordOf(...efforts)),
  files: wordOf('file', 'file_or_url', 'document_url', 'file_url'),
  audio: wordOf('bytes'),
  thinkTags: turnedOn,
  endsWithDone: turnedOn,
  endFrame: someText,
  callIds: aPattern,
  prefix: turnedOn,
  alternating: turnedOn,
  search: membersLike({ models: aPattern, form: wordOf(...searchForms) }, ['models', 'form']),
  embeddings: membersLike(embeddingShape),
  reranking: membersLike(rerankShape),
  choices: turnedOn,
}
