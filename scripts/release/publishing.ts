import { spawnSync } from 'node:child_process'
import { addressProblem } from './addresses.ts'
import { git } from './git.ts'
import { packages } from './packages.ts'

/** Why this commit cannot be published from here. */
export function publishingProblems(
  root: string,
  version: string,
  home: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): readonly string[] {
  const tags = git(root, 'tag', '--points-at', 'HEAD').split('\n')
  return [
    addressProblem(home),
    tags.includes(`v${version}`)
      ? undefined
      : `This commit does not have the tag v${version}: npm run release -- ${version} --commit makes it.`,
    canProve(environment)
      ? undefined
      : 'npm can prove where a package was built only in CI: GitHub Actions with `permissions: id-token: write`, or GitLab CI with an id token SIGSTORE_ID_TOKEN.',
    packages.every(({ name }) => isPublished(root, name, version))
      ? `npm already has version ${version}, and a version can be published only once.`
      : undefined,
  ].filter(problem => problem !== undefined)
}

/** npm gets a token from the CI that names the commit and the workflow. */
function canProve(environment: Readonly<Record<string, string | undefined>>): boolean {
  return Boolean(environment['ACTIONS_ID_TOKEN_REQUEST_URL'] ?? environment['SIGSTORE_ID_TOKEN'])
}

/** A release that failed halfway goes on where it stopped. */
export function isPublished(root: string, name: string, version: string): boolean {
  const { status, stdout } = spawnSync('npm', ['view', `${name}@${version}`, 'version'], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  return status === 0 && stdout.trim() !== ''
}
