// The hook before a commit: formats the staged files and lints them, as `npm run format` and `npm run lint` do. It works on copies of what is
// staged, so changes that are not staged stay as they are, and stay out of the commit.

import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const staged = stagedFiles().filter(file => /\.(ts|js|mjs|cjs|json|css|html|ya?ml)$/.test(file))
if (staged.length > 0) process.exitCode = check(staged) ? 0 : 1

/** Without deleted files and symbolic links. */
function stagedFiles() {
  // For each file `:<mode before> <mode> <hash before> <hash> <status>`, then its name.
  const words = git('diff', '--cached', '--raw', '--no-renames', '--diff-filter=ACM', '-z').split('\0')
  return words.filter((_, index) => index % 2 === 1 && words[index - 1].split(' ')[1] !== '120000')
}

function check(files) {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-commit-'))
  try {
    execFileSync('git', ['checkout-index', `--prefix=${folder}/`, '-z', '--stdin'], { input: files.join('\0') })
    for (const settings of ['.oxfmtrc.json', '.oxlintrc.json']) if (existsSync(settings)) copyFileSync(settings, join(folder, settings))
    const before = new Map(files.map(file => [file, readFileSync(join(folder, file))]))
    if (!run(scripts.format, folder)) return false
    for (const [file, text] of before) stage(file, text, readFileSync(join(folder, file)))
    return !files.some(file => /\.(ts|js|mjs|cjs)$/.test(file)) || run(scripts.lint, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function stage(file, before, formatted) {
  if (before.equals(formatted)) return
  const [mode] = git('ls-files', '--stage', '--', file).split(' ')
  const object = execFileSync('git', ['hash-object', '-w', '--stdin'], { input: formatted, encoding: 'utf8' }).trim()
  git('update-index', '--cacheinfo', `${mode},${object},${file}`)
  if (existsSync(file) && readFileSync(file).equals(before)) writeFileSync(file, formatted)
  console.log(`formatted ${file}`)
}

/** Runs a command of package.json on a folder, and shows its output if it fails. */
function run(command, folder) {
  const { status, stdout, stderr } = spawnSync(`${command} .`, { cwd: folder, encoding: 'utf8', shell: true })
  if (status !== 0) console.error(`${command} found this:\n${stdout}${stderr}`)
  return status === 0
}

function git(...command) {
  return execFileSync('git', command, { encoding: 'utf8' })
}
