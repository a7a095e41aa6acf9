/** A server-sent event. Deltas use `deltaFrame` instead, which encodes only their text. */
export function frame(type: string, sequence: number, members: string): string {
  return `event: ${type}\ndata: {"type":"${type}","sequence_number":${sequence},${members}}\n\n`
}

/** The JSON of an event's members, without braces, for `frame`. */
export function membersOf(fields: object): string {
  return JSON.stringify(fields).slice(1, -1)
}

/** The constant start of a delta's frame, made once per part, so that each delta only encodes its text. */
export function deltaHead(type: string, fields: object): string {
  return `event: ${type}\ndata: {"type":"${type}",${membersOf(fields)},"delta":`
}

export function deltaFrame(head: string, delta: string, sequence: number, rest: string): string {
  return `${head}${JSON.stringify(delta)}${rest},"sequence_number":${sequence}}\n\n`
}
