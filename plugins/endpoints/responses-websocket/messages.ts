import type { GatewayError, JsonObject } from '../../../core/index.ts'
import { errorReply, type Commitment } from '../../../core/kit.ts'
import type { Framing } from '../responses/frames.ts'

/** Events as messages of a lane: the same JSON as in a stream, with the name of the lane if it has one. */
export function laneFraming(streamId: string | undefined, opening: (commitment: Commitment) => JsonObject): Framing {
  const lane = streamId === undefined ? '' : `"stream_id":${JSON.stringify(streamId)},`
  return { head: type => `{"type":"${type}",${lane}`, end: '}', hasErrorEvents: false, opening }
}

/** The error of a message that was not answered. It says what an HTTP reply would say: status, body, and headers. */
export function errorMessage(error: GatewayError, streamId: string | undefined, about: Readonly<Record<string, string>> = {}): string {
  const { status, headers, body } = errorReply(error)
  const { 'content-type': _, ...advice } = headers!
  return JSON.stringify({
    type: 'error',
    ...(streamId !== undefined && { stream_id: streamId }),
    status,
    error: (JSON.parse(body as string) as { readonly error: JsonObject }).error,
    headers: { ...about, ...advice },
  })
}
