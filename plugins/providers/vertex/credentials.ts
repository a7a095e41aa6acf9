import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject } from '../../../core/index.ts'

/** At most one of them. */
export interface CredentialsOption {
  readonly file?: string | undefined
  readonly json?: string | undefined
  readonly source?: 'application-default' | 'metadata' | undefined
}

/** What tells Google who asks. */
export interface GoogleCredentials {
  /** Absent: the metadata server of the machine is asked. */
  readonly configuration?: JsonObject & { readonly type: string }
  readonly project: string | undefined
}

/** By the `type` of a configuration, as Google's tools write it: what it cannot do without. */
const needed: Readonly<Record<string, readonly string[]>> = {
  service_account: ['client_email', 'private_key'],
  external_account: ['audience', 'subject_token_type', 'token_url', 'credential_source'],
  authorized_user: ['client_id', 'client_secret', 'refresh_token'],
}

/** Reads at start what would fail at the first request. Throws an error that goes on behind "plugin vertex". */
export function readCredentials(option: CredentialsOption): GoogleCredentials {
  if (option.source === 'metadata') return { project: undefined }
  const [place, text] = sourceOf(option)
  const configuration = parsed(text, place)
  const members = needed[configuration.type]
  if (!members)
    throw new Error(`found credentials of the type "${configuration.type}" ${place}; it knows ${Object.keys(needed).join(', ')}.`)
  const missing = members.filter(member => configuration[member] === undefined)
  if (missing.length > 0) throw new Error(`found credentials without ${missing.join(', ')} ${place}. Have Google's tools write them anew.`)
  const project = configuration['project_id'] ?? configuration['quota_project_id']
  return { configuration, project: typeof project === 'string' ? project : undefined }
}

function sourceOf({ json, file }: CredentialsOption): readonly [place: string, text: string] {
  if (json !== undefined) return ['in credentials.json', json]
  const path = file ?? defaultFile()
  try {
    return [`in ${path}`, readFileSync(path, 'utf8')]
  } catch (cause) {
    const what =
      file === undefined
        ? 'Run "gcloud auth application-default login", set GOOGLE_APPLICATION_CREDENTIALS to a file, or set the option credentials; on a machine of Google\'s its source to "metadata".'
        : 'Check the option credentials.file.'
    throw new Error(`cannot read Google credentials from ${path} (${(cause as NodeJS.ErrnoException).code}). ${what}`, { cause })
  }
}

/** "How Application Default Credentials works": the variable, else where gcloud keeps them. */
function defaultFile(): string {
  const { GOOGLE_APPLICATION_CREDENTIALS: named, CLOUDSDK_CONFIG: moved, APPDATA: roaming } = process.env
  const folder = moved || (process.platform === 'win32' && roaming ? join(roaming, 'gcloud') : join(homedir(), '.config/gcloud'))
  return named || join(folder, 'application_default_credentials.json')
}

function parsed(text: string, place: string): JsonObject & { readonly type: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Not the parser's own words: they would repeat what is secret.
    throw new Error(`found Google credentials ${place} that are not JSON.`)
  }
  if (typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string')
    return value as JsonObject & { readonly type: string }
  throw new Error(`found no member "type" ${place}: these are no Google credentials.`)
}
