import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { encodeEvent } from '../plugins/providers/oracle/bedrock-framing.ts'

/** One recorded exchange with a vendor. */
export interface Recording {
  /** `vendor/case`, which is also its folder. */
  readonly path: string
  readonly vendor: string
  readonly api: string
  readonly mode: 'stream' | 'unary' | 'error'
  readonly status: number
  readonly model: string
  readonly behaviours: readonly string[]
  readonly oddities: readonly string[]
  readonly finish: readonly (string | null)[]
  readonly response_file: string
  readonly request_recorded: boolean
  readonly fidelity: string
  /** Recordings of one group are the turns of one conversation, in the order of `interaction`. */
  readonly group: string
  readonly interaction: number
}

export interface RecordedReply {
  readonly body: Buffer
  /** Lower-case names; where the recorder kept none, the content type that the body has. */
  readonly headers: Readonly<Record<string, string>>
  /** How the network cut the body, where the recorder kept it. */
  readonly pieces: readonly number[] | undefined
}

const folder = resolve(process.env['TURNPIKE_RECORDINGS'] ?? join(import.meta.dirname, '../../../shared/recordings'))
const index = join(folder, 'index.json')

/** Why there is nothing to replay, as tap's `skip` takes it; false where there is. */
export const recordingsAbsent: string | false = existsSync(index)
  ? false
  : `no recorded traffic in ${folder}: set TURNPIKE_RECORDINGS to the folder that has index.json`

export function recordings(): readonly Recording[] {
  return JSON.parse(readFileSync(index, 'utf8')) as Recording[]
}

/** Returns undefined where the response file is absent. */
export function recordedReply({ path, response_file }: Recording): RecordedReply | undefined {
  const file = join(folder, path, response_file)
  if (!existsSync(file)) return undefined
  const meta = JSON.parse(readFileSync(join(folder, path, 'meta.json'), 'utf8')) as {
    response_headers?: Record<string, string>
    network_chunk_lengths?: number[]
  }
  const contentType = response_file.endsWith('.sse') ? 'text/event-stream' : 'application/json'
  return {
    body: response_file === 'stream.events.jsonl' ? framed(readFileSync(file, 'utf8')) : readFileSync(file),
    headers: { 'content-type': contentType, ...meta.response_headers },
    pieces: meta.network_chunk_lengths,
  }
}

/** The body that the vendor was sent; undefined where it was not kept. */
export function recordedRequest({ path, request_recorded }: Recording): unknown {
  const file = join(folder, path, 'request.json')
  return request_recorded && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** Where the recorder kept Amazon's events without their binary frames. */
function framed(lines: string): Buffer {
  const events = lines.split('\n').filter(line => line.trim() !== '')
  return Buffer.concat(
    events.flatMap(line => Object.entries(JSON.parse(line) as object)).map(([type, payload]) => encodeEvent(type, payload)),
  )
}
