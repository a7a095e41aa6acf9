/** A server-sent event. Deltas of text use `deltaFrame` instead, which encodes only their text. */
export function frame(type: string, fields: object): string {
  const members = JSON.stringify(fields)
  return `event: ${type}\ndata: {"type":"${type}"${members.length > 2 ? ',' : ''}${members.slice(1)}\n\n`
}

export const pingFrame = frame('ping', {})

/** The constant start of a delta's frame, made once per block. `member` holds the text. */
export function deltaHead(index: number, type: string, member: string): string {
  return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${member}":`
}

export function deltaFrame(head: string, text: string): string {
  return `${head}${JSON.stringify(text)}}}\n\n`
}
