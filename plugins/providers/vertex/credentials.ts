import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { isObject, type JsonObject } from '../../../core/index.ts'

/** At most one is set. */
export interface CredentialsOption {
  readonly file?: string | undefined
  readonly json?: string | undefined
  readonly source?: 'application-default' | 'metadata' | undefined
}

/** The credentials for Google. */
export interface GoogleCredentials {
  readonly source: 'configuration' | 'metadata' | 'library'
  /** Set for the source `configuration`. */
  readonly configuration?: Configuration
  readonly project: string | undefined
}

export type Configuration = JsonObject & { readonly type: string }

/** Required members, by the `type` of a configuration from Google's tools. */
const needed: Readonly<Record<string, readonly string[]>> = {
  service_account: ['client_email', 'private_key'],
  external_account: ['audience', 'subject_token_type', 'token_url', 'credential_source'],
  external_account_authorized_user: ['audience', 'client_id', 'client_secret', 'refresh_token', 'token_url'],
  authorized_user: ['client_id', 'client_secret', 'refresh_token'],
  impersonated_service_account: ['service_account_impersonation_url', 'source_credentials'],
  gdch_service_account: ['project', 'private_key_id', 'private_key', 'name', 'token_uri'],
}

/** Reads credentials at startup, so that errors do not wait for the first request. The message follows "plugin vertex". */
export function readCredentials(option: CredentialsOption): GoogleCredentials {
  if (option.source === 'metadata') return { source: 'metadata', project: undefined }
  const path = option.file ?? (option.json === undefined ? defaultFile() : undefined)
  // Without a file from Google's tools, the library looks elsewhere, such as for the machine's account.
  if (path === undefined && option.json === undefined) return { source: 'library', project: undefined }
  const [place, text] = option.json === undefined ? [`in ${path}`, textOf(path!, option)] : ['in credentials.json', option.json]
  const configuration = parsed(text, place)
  const members = needed[configuration.type]
  if (!members)
    throw new Error(
      `found credentials with the unknown type "${configuration.type}" ${place}. Known types: ${Object.keys(needed).join(', ')}.`,
    )
  const missing = members.filter(member => configuration[member] === undefined)
  if (missing.length > 0)
    throw new Error(`found credentials without ${missing.join(', ')} ${place}. Create them again with Google's tools.`)
  const project = configuration['project_id'] ?? configuration['project'] ?? configuration['quota_project_id']
  return { source: 'configuration', configuration, project: typeof project === 'string' ? project : undefined }
}

/** Advice if there are no credentials at all. */
export const defaultAdvice =
  'Run "gcloud auth application-default login", set GOOGLE_APPLICATION_CREDENTIALS to a file, or set the option credentials.'

function textOf(path: string, { file }: CredentialsOption): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const advice = file === undefined ? defaultAdvice : 'Check the option credentials.file.'
    throw new Error(`cannot read Google credentials from ${path} (${(cause as NodeJS.ErrnoException).code}). ${advice}`, { cause })
  }
}

/** "How Application Default Credentials works": the file in the variable, else the one from gcloud. */
function defaultFile(): string | undefined {
  const { GOOGLE_APPLICATION_CREDENTIALS: named, CLOUDSDK_CONFIG: moved, APPDATA: roaming } = process.env
  if (named) return named
  const folder = moved || (process.platform === 'win32' && roaming ? join(roaming, 'gcloud') : join(homedir(), '.config/gcloud'))
  const left = join(folder, 'application_default_credentials.json')
  return existsSync(left) ? left : undefined
}

function parsed(text: string, place: string): Configuration {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Leaves out the parser's message, which would quote secrets.
    throw new Error(`found Google credentials ${place} that are not JSON.`)
  }
  if (isObject(value) && typeof value['type'] === 'string') return value as Configuration
  throw new Error(`found no member "type" ${place}, so these are not Google credentials.`)
}
