import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The suite runs on Bun, and checks with Zod. */
const packages = ['bun@1.4.5', 'zod@3.25.76']
const address = 'https://github.com/openresponses/openresponses'
const limitMs = 300_000

const run = promisify(execFile)

export interface Outcome {
  readonly id: string
  readonly status: 'passed' | 'failed' | 'skipped'
  readonly errors?: readonly string[]
}

/** The compliance suite of Open Responses. */
export class Suite {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** Puts the suite into `folder` from its checkout, or from its repository if none is named, with the packages that it needs. */
  static async install(folder: string, checkout: string | undefined): Promise<Suite> {
    const place = join(folder, 'openresponses')
    if (checkout !== undefined) {
      await mkdir(place, { recursive: true })
      // Without its own manifest, which has the packages of a site.
      for (const part of ['bin', 'src']) await cp(join(checkout, part), join(place, part), { recursive: true })
    } else if (!existsSync(place)) await run('git', ['clone', '--quiet', '--depth', '1', address, place])
    if (!existsSync(join(folder, 'node_modules/bun')))
      await run('npm', ['install', '--no-audit', '--no-fund', '--silent', '--prefix', folder, ...packages], { timeout: limitMs })
    return new Suite(place)
  }

  /** Asks one model for everything. */
  async run(baseUrl: string, apiKey: string, model: string): Promise<readonly Outcome[]> {
    const bun = join(this.#folder, '../node_modules/.bin/bun')
    const args = ['run', 'bin/compliance-test.ts', '--base-url', baseUrl, '--model', model, '--json']
    const options = {
      cwd: this.#folder,
      env: { PATH: process.env['PATH'], OPENRESPONSES_API_KEY: apiKey },
      timeout: limitMs,
      maxBuffer: 2 ** 26,
    }
    // It exits with 1 if a test fails.
    const { stdout, stderr } = await run(bun, args, options).catch((error: { stdout?: string; stderr?: string }) => error)
    const start = stdout?.indexOf('{') ?? -1
    if (start < 0) throw new Error(`Expected the suite's report, got: ${stdout} ${stderr}`)
    return (JSON.parse(stdout!.slice(start)) as { readonly results: readonly Outcome[] }).results
  }
}
