import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { smithy } from './smithy.ts'

/** A profile in the shared AWS files. Undefined if no file has it. */
export async function profileNamed(name: string): Promise<{ readonly region: string | undefined } | undefined> {
  const profile = (await smithy.config().parseKnownFiles({ profile: name, ignoreCache: true }))[name]
  return profile && { region: profile['region'] }
}

/** Changes when a file is edited or somebody logs in. */
export async function sharedFilesVersion(): Promise<string> {
  const { AWS_SHARED_CREDENTIALS_FILE: credentials, AWS_CONFIG_FILE: config } = process.env
  const folder = join(homedir(), '.aws')
  const versions = await Promise.all([credentials || join(folder, 'credentials'), config || join(folder, 'config')].map(versionOf))
  return versions.join(' ')
}

function versionOf(path: string): Promise<string> {
  return stat(path).then(
    ({ mtimeMs, size, ino }) => `${mtimeMs}/${size}/${ino}`,
    () => 'absent',
  )
}
