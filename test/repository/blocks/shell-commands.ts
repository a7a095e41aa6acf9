/** One command of a shell: its words without quotes. Variables and `…` stay as they are. */
export type Words = readonly string[]

/** The simple commands in a script, those in substitutions and after `sudo`, `ssh host` or assignments included. */
export function commandsOf(script: string): readonly Words[] {
  const commands: string[][] = []
  let words: string[] = []
  let word: string | undefined
  const endWord = (): void => {
    if (word !== undefined) words.push(word)
    word = undefined
  }
  const endCommand = (): void => {
    endWord()
    if (words.length > 0) commands.push(words)
    words = []
  }
  const text = script.replaceAll('\\\n', ' ')
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (char === "'" || char === '"') {
      const end = text.indexOf(char, at + 1)
      const inside = text.slice(at + 1, end)
      word = (word ?? '') + inside
      for (const [, inner = ''] of char === '"' ? inside.matchAll(/\$\(([^)]*)\)/g) : [])
        commands.push(...commandsOf(inner).map(each => [...each]))
      at = end
    } else if (char === '\\') word = (word ?? '') + (text[++at] ?? '')
    else if (char === '#' && word === undefined) at = ((text.indexOf('\n', at) + text.length) % text.length) - 1
    else if (/[ \t]/.test(char)) endWord()
    else if (/[\n;|&()]/.test(char)) endCommand()
    else word = (word ?? '') + char
  }
  endCommand()
  return commands
}

/** The command itself, without what runs it and where its output goes. */
export function bare(all: Words): Words {
  const end = all.findIndex(word => /^\d?>/.test(word))
  const words = end < 0 ? all : all.slice(0, end)
  const start = words.findIndex(word => !/^(?:\w+=.*|sudo|do|then|until|if|exec|\$|set)$/.test(word))
  return start < 0 ? [] : words.slice(start)
}
