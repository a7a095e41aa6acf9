export interface Step {
  readonly instruction: string
  /** Such as `from` of `COPY --from=build`. */
  readonly flags: Readonly<Record<string, string>>
  /** The rest, after the flags. */
  readonly text: string
}

export interface Stage {
  readonly name: string | undefined
  readonly base: string
  readonly steps: readonly Step[]
}

/** The stages of a Dockerfile, with the default values of its global arguments. */
export function stagesOf(dockerfile: string): readonly Stage[] {
  const stages: { name: string | undefined; base: string; steps: Step[] }[] = []
  const values = new Map<string, string>()
  for (const step of stepsOf(dockerfile)) {
    if (step.instruction === 'FROM') {
      const [base = '', , name] = step.text.split(/\s+/)
      stages.push({ name, base: filled(base, values), steps: [] })
    } else if (stages.length > 0) stages.at(-1)!.steps.push(step)
    else if (step.instruction === 'ARG') {
      const [name = '', value = ''] = step.text.split('=')
      values.set(name, value)
    } else throw new Error(`expected FROM or ARG first, but got ${step.instruction}`)
  }
  return stages
}

/** The words of an instruction in its JSON form. */
export function wordsOf(text: string): readonly string[] {
  const words: unknown = JSON.parse(text)
  if (!Array.isArray(words)) throw new Error(`expected a JSON array of words, but got ${text}`)
  return words as readonly string[]
}

/** The pairs of ENV and LABEL. */
export function pairsOf(text: string): readonly (readonly [name: string, value: string])[] {
  return Array.from(text.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S+))/g), ([, name, quoted, plain]) => [name!, quoted ?? plain!] as const)
}

function stepsOf(dockerfile: string): readonly Step[] {
  const lines = dockerfile.split('\n').filter(line => !/^\s*(#|$)/.test(line))
  return lines
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .map(line => {
      const [, instruction = '', given = '', text = ''] = /^(\w+)\s+((?:--[\w-]+=\S+\s+)*)(.*)$/.exec(line.trim()) ?? []
      const flags = Array.from(given.matchAll(/--([\w-]+)=(\S+)/g), ([, name, value]) => [name!, value!])
      return { instruction: instruction.toUpperCase(), flags: Object.fromEntries(flags) as Record<string, string>, text }
    })
}

function filled(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => values.get(name) ?? '')
}
