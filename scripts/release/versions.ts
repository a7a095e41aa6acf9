/** A file that states the version of the package, and how. */
interface Statement {
  readonly file: string
  readonly pattern: RegExp
}

/** Each pattern has the version as its group `version`. A release writes the new one there; a test compares them all. */
export const statements: readonly Statement[] = [
  { file: 'package.json', pattern: /^ {2}"version": "(?<version>[^"]+)"/gm },
  { file: 'package-lock.json', pattern: /"name": "turnpike",\n +"version": "(?<version>[^"]+)"/g },
  { file: 'create-turnpike/package.json', pattern: /^ +"(?:version|turnpike)": "(?<version>\d[^"]*)"/gm },
  { file: 'deploy/helm/turnpike/Chart.yaml', pattern: /^(?:version|appVersion): (?<version>\S+)$/gm },
  { file: 'deploy/compose/compose.yaml', pattern: /image: turnpike:(?<version>\S+)/g },
  { file: 'deploy/docker/Dockerfile', pattern: /--tag turnpike:(?<version>\S+)/g },
  { file: 'docs/deployment.md', pattern: /turnpike:(?<version>\d+\.\d+\.\d+\S*)/g },
]

/** Examples say which versions they work with. */
export const ranges: Statement = { file: 'examples/*/package.json', pattern: /"turnpike(?:-sdk)?": "\^(?<version>[^"]+)"/g }

export function statedIn(text: string, { file, pattern }: Statement): readonly string[] {
  const found = Array.from(text.matchAll(pattern), ({ groups }) => groups!['version']!)
  if (found.length === 0) throw new Error(`${file} states no version: expected ${pattern}`)
  return found
}

export function withVersion(text: string, { pattern }: Statement, version: string): string {
  return text.replaceAll(pattern, (whole: string, ...rest: readonly unknown[]) => {
    const { version: old } = rest.at(-1) as { readonly version: string }
    return whole.replace(old, () => version)
  })
}

export type Step = 'major' | 'minor' | 'patch'

const form = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?$/

/** The step from one version to another. Undefined if the other is not higher, or one of them is no version. */
export function stepBetween(from: string, to: string): Step | undefined {
  const [old, next] = [form.exec(from), form.exec(to)]
  if (!old || !next) return undefined
  for (const [index, step] of (['major', 'minor', 'patch'] as const).entries()) {
    const rise = Number(next[index + 1]) - Number(old[index + 1])
    if (rise !== 0) return rise > 0 ? step : undefined
  }
  // From 1.0.0-rc.1 to 1.0.0.
  return old[4] !== undefined && (next[4] === undefined || next[4] > old[4]) ? 'patch' : undefined
}
