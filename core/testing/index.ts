// What plugin authors test with; published as turnpike/testing.

export { checkEvents, checkStream, type CheckedStream, type GrammarOptions } from './event-grammar.ts'
export { readEvents, type PublicEvent } from './event-reader.ts'
export { checkResponse, type CheckedResponse, type ResponseStatus } from './response-shape.ts'
export { ContractError } from './shape.ts'
export {
  cut,
  fakeUpstream,
  Gate,
  reset,
  sseFrame,
  stall,
  turn,
  type Control,
  type FakeReply,
  type FakeUpstream,
  type ReceivedRequest,
  type Script,
  type Step,
} from './fake-upstream.ts'
