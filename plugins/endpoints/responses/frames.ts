/** A server-sent event. It stringifies the whole event, so deltas use `deltaFrame` instead. */
export function frame(type: string, sequence: number, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence, ...fields })}\n\n`
}

/** The constant start of a delta's frame, made once per part, so that each delta only encodes its text. */
export function deltaHead(type: string, fields: object): string {
  return `event: ${type}\ndata: {"type":"${type}",${JSON.stringify(fields).slice(1, -1)},"delta":`
}

export function deltaFrame(head: string, delta: string, sequence: number, rest: string): string {
  return `${head}${JSON.stringify(delta)}${rest},"sequence_number":${sequence}}\n\n`
}
