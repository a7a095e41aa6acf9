import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const version = '3.22.1'

/** One candidate for the next token. */
export interface NextToken {
  readonly text: string
  readonly probability: number
}

export interface Reading {
  readonly inputTokens: number
  /** Every token of the vocabulary, most likely first. */
  readonly next: readonly NextToken[]
}

/** The part of node-llama-cpp that is used here. */
interface LlamaModule {
  getLlama(options: { readonly gpu: false; readonly build: 'never'; readonly progressLogs: boolean }): Promise<Llama>
}
interface Llama {
  loadModel(options: { readonly modelPath: string }): Promise<LlamaModel>
  dispose(): Promise<void>
}
interface LlamaModel {
  tokenize(text: string): number[]
  detokenize(tokens: readonly number[]): string
  createContext(options: { readonly contextSize: number; readonly threads: number }): Promise<{ getSequence(): LlamaSequence }>
}
interface LlamaSequence {
  clearHistory(): Promise<void>
  controlledEvaluate(
    input: readonly (number | readonly [token: number, options: { readonly generateNext: { readonly probabilities: true } }])[],
  ): Promise<readonly ({ readonly next: { readonly probabilities: ReadonlyMap<number, number> } } | undefined)[]>
}

/** llama.cpp with one model on the CPU. */
export class Engine {
  readonly #llama: Llama
  readonly #model: LlamaModel
  readonly #sequence: LlamaSequence
  #last: Promise<unknown> = Promise.resolve()

  private constructor(llama: Llama, model: LlamaModel, sequence: LlamaSequence) {
    this.#llama = llama
    this.#model = model
    this.#sequence = sequence
  }

  /** Installs the engine into `folder` if it is not there: its JavaScript and the binary for this machine, without install scripts. */
  static async open(folder: string, modelPath: string): Promise<Engine> {
    if (!existsSync(join(folder, 'node_modules/node-llama-cpp'))) await install(folder)
    const entry = createRequire(join(folder, 'package.json')).resolve('node-llama-cpp')
    const { getLlama } = (await import(pathToFileURL(entry).href)) as LlamaModule
    const llama = await getLlama({ gpu: false, build: 'never', progressLogs: false })
    const model = await llama.loadModel({ modelPath })
    // With a model this small, more threads only slow each other down.
    const context = await model.createContext({ contextSize: 8192, threads: 1 })
    return new Engine(llama, model, context.getSequence())
  }

  /** The candidates for the next token after a text. Reads one text at a time. */
  read(text: string): Promise<Reading> {
    const reading = this.#last.then(() => this.#read(text))
    this.#last = reading.catch(() => {})
    return reading
  }

  async close(): Promise<void> {
    await this.#llama.dispose()
  }

  async #read(text: string): Promise<Reading> {
    const tokens = this.#model.tokenize(text)
    await this.#sequence.clearHistory()
    const outputs = await this.#sequence.controlledEvaluate([
      ...tokens.slice(0, -1),
      [tokens.at(-1)!, { generateNext: { probabilities: true } }],
    ])
    const { probabilities } = outputs.at(-1)!.next
    const next = Array.from(probabilities, ([token, probability]) => ({ text: this.#model.detokenize([token]), probability }))
    return { inputTokens: tokens.length, next }
  }
}

async function install(folder: string): Promise<void> {
  const names: Readonly<Record<string, string>> = {
    'darwin-arm64': 'mac-arm64-metal',
    'darwin-x64': 'mac-x64',
    'win32-x64': 'win-x64',
    'win32-arm64': 'win-arm64',
  }
  const machine = `${process.platform}-${process.arch}`
  const packages = ['node-llama-cpp', `@node-llama-cpp/${names[machine] ?? machine}`].map(name => `${name}@${version}`)
  console.log(`Installing ${packages.join(' and ')} into ${folder} …`)
  await writeFile(join(folder, 'package.json'), '{"private":true}')
  const options = ['--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder]
  await promisify(execFile)('npm', ['install', ...options, ...packages])
}
