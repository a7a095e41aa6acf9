import { globSync } from 'node:fs'
import { join } from 'node:path'
import { CommanderError, type Command } from 'commander'
import { commandGroup } from '../../../config/command.ts'
import { root } from './code-block.ts'

/** The real commands with their options, which do nothing. */
async function program(): Promise<Command> {
  const all = commandGroup('turnpike', '').version('0')
  for (const file of globSync('config/commands/*.ts', { cwd: root }))
    all.addCommand(((await import(join(root, file))) as { readonly default: Command }).default)
  quiet(all)
  return all
}

function quiet(command: Command): void {
  command.exitOverride().configureOutput({ writeOut: () => undefined, writeErr: () => undefined, outputError: () => undefined })
  if (command.commands.length === 0) command.action(() => undefined)
  for (const each of command.commands) quiet(each)
}

const parsed = await program()

/** What the command line says about these words. Undefined if it takes them. */
export async function refusal(words: readonly string[]): Promise<string | undefined> {
  try {
    await parsed.parseAsync(words, { from: 'user' })
    return undefined
  } catch (error) {
    if (error instanceof CommanderError && /^commander\.(?:help|version)/.test(error.code)) return undefined
    return (error as Error).message
  }
}
