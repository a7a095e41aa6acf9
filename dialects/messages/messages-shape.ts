import type { HostPlugin } from '../host/host-plugin.ts'
import { departuresShape, placeShape } from '../host/host-shape.ts'
import { pluginShape } from '../host/plugin-shape.ts'
import {
  aCount,
  aFunction,
  aPattern,
  listOf,
  membersLike,
  someText,
  valueLike,
  wordOf,
  type Check,
  type Shape,
} from '../host/table-shape.ts'
import { messagesMembers, messagesUnsupported, type MessagesHost } from './messages-host.ts'
import type { MessagesTraits } from './traits.ts'

const trueOrFalse = valueLike('true or false', value => typeof value === 'boolean')
const how = wordOf('url', 'inline')

const traits: Shape<MessagesTraits> = {
  thinking: wordOf('none', 'budget', 'adaptive'),
  thinksUnasked: trueOrFalse,
  thinkingOff: wordOf('disabled', 'between_tools'),
  efforts: listOf(wordOf('low', 'medium', 'high', 'xhigh', 'max')),
  sampling: wordOf('both', 'one', 'none'),
  forcedTools: trueOrFalse,
  systemTurns: trueOrFalse,
  structuredOutput: trueOrFalse,
  search: trueOrFalse,
  maxTokens: aCount,
}

const aRow: Check = (value, path, report) => {
  if (!Array.isArray(value) || value.length !== 2) return report(`${path} must be a pair of a regular expression and traits`)
  aPattern(value[0], `${path}[0]`, report)
  membersLike(traits)(value[1], `${path}[1]`, report)
}

/** The check of every member of a host's table. */
export const messagesShape: Shape<MessagesHost & HostPlugin<MessagesHost>> = {
  ...pluginShape,
  ...placeShape,
  ...departuresShape(messagesMembers),
  without: listOf(wordOf(...messagesUnsupported)),
  version: someText,
  betas: listOf(someText),
  traits: listOf(aRow),
  defaultMaxTokens: aCount,
  systemTurns: valueLike('false, or left out', value => value === false),
  media: membersLike({ images: how, files: how }, ['images', 'files']),
  url: aFunction,
  envelope: aFunction,
}
