import { failureKinds, finishReasons } from '../../core/kit.ts'
import type { Departures, ErrorTable, UsageTable } from './departures.ts'
import type { HostModel, HostPlace, ModelListTable } from './host-place.ts'
import {
  aCount,
  aDottedPath,
  aFunction,
  anObject,
  aPath,
  aPattern,
  listOf,
  membersLike,
  recordOf,
  someText,
  turnedOn,
  valueLike,
  wordOf,
  type Check,
  type Shape,
} from './table-shape.ts'

const aHeaderName = /^[a-z0-9!#$%&'*+.^_`|~-]+$/
const aHeader = valueLike('a lower-case header name', value => typeof value === 'string' && aHeaderName.test(value))
const anAddress = valueLike(
  'an http or https URL, which may contain {account}',
  value => typeof value === 'string' && /^https?:\/\/[^\s]+$/.test(value) && URL.canParse(value.replace('{account}', 'account')),
)
const aVariable = valueLike('the name of an environment variable', value => typeof value === 'string' && /^[A-Za-z_]\w*$/.test(value))
const aKind = wordOf(...failureKinds)

const headers: Check = (value, path, report) => {
  recordOf(valueLike('a text without line breaks', each => typeof each === 'string' && !/[\r\n]/.test(each)))(value, path, report)
  if (typeof value === 'object' && value !== null)
    for (const name of Object.keys(value)) if (!aHeaderName.test(name)) report(`${path}.${name} must be a lower-case header name`)
}

const aFinish: Check = (value, path, report) => {
  if (typeof value === 'object' && value !== null) return membersLike({ failure: aKind }, ['failure'])(value, path, report)
  wordOf(...finishReasons.filter(reason => reason !== 'pause'))(value, path, report)
}

const usage: Shape<UsageTable> = {
  at: aDottedPath,
  input: aDottedPath,
  output: aDottedPath,
  cacheRead: aDottedPath,
  cacheWrite: aDottedPath,
  reasoning: aDottedPath,
  inputExcludesCache: turnedOn,
  outputExcludesReasoning: turnedOn,
}

const aWording: Check = (value, path, report) => {
  if (!Array.isArray(value) || value.length !== 2) return report(`${path} must be a pair of a regular expression and a kind of failure`)
  aPattern(value[0], `${path}[0]`, report)
  aKind(value[1], `${path}[1]`, report)
}

const errors: Shape<ErrorTable> = {
  at: aDottedPath,
  message: aDottedPath,
  code: aDottedPath,
  retryAfterSeconds: aDottedPath,
  retryAfterHeader: aHeader,
  codes: recordOf(aKind),
  wordings: listOf(aWording),
  statuses: (value, path, report) => {
    recordOf(aKind)(value, path, report)
    for (const status of Object.keys(Object(value)))
      if (!/^[45]\d\d$/.test(status)) report(`${path}.${status} must be a status from 400 to 599`)
  },
}

/** The checks of what every dialect has. `members`: those at the top of its requests. */
export function departuresShape(members: readonly string[]): Shape<Departures> {
  return {
    path: aPath,
    keyHeader: aHeader,
    keyScheme: someText,
    headers,
    // The gateway checks them when the plugin adds its provider.
    capabilities: anObject,
    renamed: recordOf(someText, members),
    added: anObject,
    wrapped: aDottedPath,
    finishReasons: recordOf(aFinish),
    usage: membersLike(usage, ['input', 'output']),
    errors: membersLike(errors),
    framing: wordOf('sse', 'json-lines'),
    changeRequest: aFunction,
    changeReply: aFunction,
  }
}

/** The catalog checks it, when the gateway adds the models. */
const checkedLater: Check = () => {}

const model: Shape<HostModel> = {
  aliases: checkedLater,
  capabilities: checkedLater,
  contextWindow: checkedLater,
  created: checkedLater,
  dimensions: checkedLater,
  family: checkedLater,
  hipaa: checkedLater,
  kind: checkedLater,
  maxOutputTokens: checkedLater,
  ownedBy: checkedLater,
  price: checkedLater,
  tokenizer: checkedLater,
  upstreamModel: checkedLater,
  zdr: checkedLater,
}

const modelList: Shape<ModelListTable> = {
  path: aPath,
  at: aDottedPath,
  name: aDottedPath,
  contextWindow: aDottedPath,
  maxOutputTokens: aDottedPath,
  everySeconds: aCount,
}

export const placeShape: Shape<HostPlace> = {
  source: anAddress,
  baseUrl: anAddress,
  account: membersLike({ what: someText, variable: aVariable }, ['what', 'variable']),
  keyVariable: aVariable,
  models: recordOf(membersLike(model)),
  modelList: membersLike(modelList, ['path']),
}
