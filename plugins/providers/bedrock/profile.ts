import { readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { ProviderFailure } from '../../../core/index.ts'
import type { AwsKeys } from './signer.ts'
import { smithy } from './smithy.ts'

/** The access keys of a profile in the shared files, read again whenever a file has changed: tools that log in write short-lived keys there. */
export class Profile {
  readonly name: string
  readonly #keep: (secret: string) => void
  #keys: AwsKeys | undefined
  #version = ''

  /** `keep` is told of every secret that is read. */
  constructor(name: string, keep: (secret: string) => void) {
    this.name = name
    this.#keep = keep
  }

  async keys(): Promise<AwsKeys> {
    const version = await versionOf(Object.values(sharedFiles()))
    if (this.#keys && version === this.#version) return this.#keys
    this.#keys = await this.#read()
    this.#version = version
    return this.#keys
  }

  async #read(): Promise<AwsKeys> {
    const profiles = await smithy.iniFiles().parseKnownFiles({ ...sharedFiles(), profile: this.name, ignoreCache: true })
    const {
      aws_access_key_id: accessKeyId,
      aws_secret_access_key: secretAccessKey,
      aws_session_token: sessionToken,
    } = profiles[this.name] ?? {}
    if (!accessKeyId || !secretAccessKey)
      throw new ProviderFailure({
        kind: 'auth',
        message: `The AWS profile "${this.name}" has no aws_access_key_id and aws_secret_access_key. Profiles that name a role, a process or a single sign-on have to be turned into keys first, such as by "aws configure export-credentials".`,
      })
    for (const secret of [secretAccessKey, sessionToken]) if (secret) this.#keep(secret)
    return { accessKeyId, secretAccessKey, sessionToken: sessionToken || undefined }
  }
}

/** What is said of a profile at start, without loading what reads it in full: its region, if it has one. Undefined for a profile that is not there. */
export function profileAtStart(name: string): { readonly region: string | undefined } | undefined {
  const sections = Object.values(sharedFiles()).flatMap(path => sectionsOf(path, name))
  if (sections.length === 0) return undefined
  return { region: sections.map(text => /^\s*region\s*=\s*(\S+)/m.exec(text)?.[1]).find(region => region !== undefined) }
}

/** Where the vendor's tools keep profiles. */
function sharedFiles(): { readonly filepath: string; readonly configFilepath: string } {
  const { AWS_SHARED_CREDENTIALS_FILE: credentials, AWS_CONFIG_FILE: config } = process.env
  return {
    filepath: credentials || join(homedir(), '.aws', 'credentials'),
    configFilepath: config || join(homedir(), '.aws', 'config'),
  }
}

/** The lines of the profile, which the one file calls `[name]` and the other `[profile name]`. */
function sectionsOf(path: string, name: string): readonly string[] {
  const sections = textOf(path).split(/^\s*(?=\[)/m)
  return sections.filter(section => {
    const title = /^\[\s*(?:profile\s+)?["']?(.*?)["']?\s*\]/.exec(section)?.[1]
    return title === name
  })
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

async function versionOf(paths: readonly string[]): Promise<string> {
  const versions = await Promise.all(
    paths.map(path =>
      stat(path).then(
        ({ mtimeMs, size, ino }) => `${mtimeMs}/${size}/${ino}`,
        () => 'absent',
      ),
    ),
  )
  return versions.join(' ')
}
