/** The work in progress at the moment, added up over the processes of a gateway. */
export interface GatewayLoad {
  /** How many there are: workers and machines that count together. 1 if nothing lets them. */
  readonly processes: number
  /** Requests to models in progress. */
  readonly requests: number
  /** Connections that plugins keep, such as those over WebSocket. */
  readonly connections: number
  /** The memory of answers in progress, and what surfaces hold between requests. */
  readonly answerBytes: number
  /** The size of the request bodies that are being read or answered, except small ones. */
  readonly bodyBytes: number
}
