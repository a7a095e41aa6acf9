import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The files with a mistake, each with its right value and the wrong one. */
const mistakes = [
  { file: 'src/price.js', member: 'price', right: 250, wrong: 25 },
  { file: 'src/discount.js', member: 'discount', right: 10, wrong: 50 },
  { file: 'src/shipping.js', member: 'shipping', right: 499, wrong: 0 },
] as const

const testFile = 'test/receipt.test.js'
/** Makes files long, so that a conversation about them is. */
const ballast = Array.from({ length: 120 }, (_, index) => `// Line ${index + 1} of the history of this file, which nobody reads.`).join(
  '\n',
)

export const command = 'node --test'

/** A small project whose test fails until three files are mended. Each mistake has a code of its own, which only the file says. */
export class Task {
  readonly folder: string
  readonly #codes = mistakes.map(() => randomUUID().slice(0, 8))

  private constructor(folder: string) {
    this.folder = folder
  }

  static async begin(folder: string): Promise<Task> {
    const task = new Task(folder)
    for (const part of ['src', 'test']) await mkdir(join(folder, part), { recursive: true })
    await writeFile(join(folder, 'package.json'), '{ "type": "module", "scripts": { "test": "node --test" } }\n')
    for (const [index, { file, member, right, wrong }] of mistakes.entries())
      await writeFile(join(folder, file), `export const ${member} = ${wrong} // TODO ${task.#codes[index]}: ${right}\n${ballast}\n`)
    await writeFile(join(folder, 'src/receipt.js'), receipt)
    await writeFile(join(folder, testFile), test)
    return task
  }

  /** Undefined if the test passes, every mistake is mended in its place, and nothing else has changed. */
  async problem(): Promise<string | undefined> {
    for (const [index, { file, member, right }] of mistakes.entries()) {
      const wanted = `export const ${member} = ${right} // DONE ${this.#codes[index]}\n${ballast}\n`
      const found = await readFile(join(this.folder, file), 'utf8')
      if (found !== wanted) return `Expected ${file} to begin with ${wanted.slice(0, 60)}, got ${found.slice(0, 60)}`
    }
    if ((await readFile(join(this.folder, testFile), 'utf8')) !== test) return 'The test has been changed.'
    return await new Promise(resolve => {
      const environment = { PATH: process.env['PATH'] }
      execFile(process.execPath, ['--test'], { cwd: this.folder, env: environment }, (error, stdout) =>
        resolve(error ? stdout.slice(-1_000) : undefined),
      )
    })
  }

  /** True if no file has been touched. */
  async isUntouched(): Promise<boolean> {
    const texts = await Promise.all(mistakes.map(({ file }) => readFile(join(this.folder, file), 'utf8')))
    return texts.every((text, index) => text.includes(`TODO ${this.#codes[index]}`))
  }
}

const receipt = `import { discount } from './discount.js'
import { price } from './price.js'
import { shipping } from './shipping.js'

/** The price of a number of pieces, in cents. */
export function total(pieces) {
  return (pieces * price * (100 - discount)) / 100 + shipping
}
`

const test = `import assert from 'node:assert'
import { test } from 'node:test'
import { total } from '../src/receipt.js'

test('four pieces', () => assert.equal(total(4), 1399))
test('none', () => assert.equal(total(0), 499))
`

/** The names of the files to mend, as a model could see them in the folder. */
export const files: readonly string[] = mistakes.map(({ file }) => file)
