/** A server-sent event. `JSON.stringify` of the whole event is for the rare ones. */
export function frame(type: string, sequence: number, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence, ...fields })}\n\n`
}

/** The part of a delta's frame that stays the same while its part is open: per delta only the text is encoded. */
export function deltaHead(type: string, fields: object): string {
  return `event: ${type}\ndata: {"type":"${type}",${JSON.stringify(fields).slice(1, -1)},"delta":`
}

export function deltaFrame(head: string, delta: string, sequence: number, rest: string): string {
  return `${head}${JSON.stringify(delta)}${rest},"sequence_number":${sequence}}\n\n`
}
