import { failurePolicies } from '../../core/attempts/failure-policy.ts'
import { runMatrix, type Cell } from './matrix.ts'
import { wires } from './wires.ts'

/** `docs/reliability.md`: what is promised, and what the matrix has shown. */
export async function reliabilityPage(): Promise<string> {
  return `${introduction}\n${kindRows().join('\n')}\n${faultsIntroduction}\n${faultRows(await runMatrix()).join('\n')}\n`
}

const introduction = `<!-- Written by \`npm run docs\` from test/reliability: change that. test/reliability.test.ts checks it. -->

# Reliability

## What happens when a vendor fails

The gateway tries the endpoints of a request in order until one answers. Every failure has a *kind*. The kind alone decides what is tried next and what the caller gets: status and code are the same for every vendor. A vendor's own code is passed on only when it says what is wrong with an image.

- **Another endpoint** is tried after every kind except \`invalid-request\`, as long as one is left and no text has reached the caller.
- **The same endpoint** is asked again when it is the last one left and the failure may pass. It is asked up to two more times (\`server.retries\`), after random waits of at most 250 and 500 ms. A vendor's \`retry-after\` is honored up to 2 s; a longer one goes to the caller. A broken connection is tried again once without waiting, at any endpoint with a single credential.
- **Retries do not multiply.** After an endpoint was asked again in vain, it gets one try per request for 30 s, or until it answers.
- **Clients learn what to do.** A 424 carries \`x-should-retry: true\` if the same request may succeed next time and \`x-should-retry: false\` if the operator has to act first. The public SDKs follow it.
- **After the first word** nothing is retried. A stream that breaks ends with an \`error\` event and \`response.failed\`, never as a success. In the \`error\` event, a rate limit has the code \`rate_limit_error\`.
- **Account ids** at vendors (organizations, projects, users, cloud accounts) and the gateway's secrets are masked in everything that a caller reads. What a vendor says about the gateway's own key or credit is not passed on.

| kind | status | code | next endpoint | same endpoint again | \`x-should-retry\` |
|---|---|---|---|---|---|`

const faultsIntroduction = `
A reply that ends before its first word is of kind \`protocol\` and may pass.

## Faults

A test runs every fault on the wires ${wires.map(({ name }) => `\`${name}\``).join(', ')}, with whole replies and streams, alone and with a fallback that answers, and compares the outcome with this table. "Tried" lists the recorded attempts. "Came" is what the caller got; the record of the request has the same status and code.

| fault | reply | wires | tried | came | tried with a fallback | came |
|---|---|---|---|---|---|---|`

function kindRows(): readonly string[] {
  return Object.entries(failurePolicies).map(([kind, { retry, transient = false, generation }]) => {
    const { status, code, advisesClient } = generation
    return row([
      `\`${kind}\``,
      String(status),
      `\`${code}\``,
      yes(retry !== 'never'),
      yes(transient),
      advisesClient ? String(transient) : '',
    ])
  })
}

/** One row for all wires and both modes in which the same happened. */
function faultRows(cells: readonly Cell[]): readonly string[] {
  const groups = new Map<string, Cell[]>()
  for (const cell of cells) {
    const { fault, alone, withFallback } = cell
    const key = JSON.stringify([fault, alone, withFallback])
    groups.set(key, [...(groups.get(key) ?? []), cell])
  }
  return [...groups.values()].flatMap(group => {
    const [{ fault, alone, withFallback }] = group as [Cell]
    const whole = wiresOf(group, 'whole')
    const streamed = wiresOf(group, 'stream')
    const told = [alone.tried, alone.came, withFallback.tried, withFallback.came]
    if (whole === streamed) return [row([fault, 'both', whole, ...told])]
    return [...(whole ? [row([fault, 'whole', whole, ...told])] : []), ...(streamed ? [row([fault, 'stream', streamed, ...told])] : [])]
  })
}

function wiresOf(cells: readonly Cell[], mode: Cell['mode']): string {
  const names = cells.filter(cell => cell.mode === mode).map(({ wire }) => wire)
  return names.length === wires.length ? 'all' : names.join(', ')
}

function yes(holds: boolean): string {
  return holds ? 'yes' : 'no'
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
