import { failurePolicies } from '../../../core/call/attempts/failure-policy.ts'
import { hedgeAfterMs, runMatrix, type Cell, type Matrix, type Ruled } from './matrix.ts'
import type { Mode } from './faults.ts'
import { wires } from './wires.ts'

/** `docs/reliability.md`: what is promised, and what the matrix has shown. */
export async function reliabilityPage(): Promise<string> {
  const { cells, crowds, hedges } = await runMatrix()
  const faults = `${faultsIntroduction}\n${faultRows(cells).join('\n')}`
  const crowded = `${crowdsIntroduction}\n${ruledRows(crowds).join('\n')}`
  const hedged = `${hedgesIntroduction}\n${ruledRows(hedges).join('\n')}`
  return `${introduction}\n${kindRows().join('\n')}\n${faults}\n${crowded}\n${hedged}\n`
}

const introduction = `<!-- Written by \`npm run docs\` from test/gateway/reliability: change that. test/gateway/reliability/page.test.ts checks it. -->

# Reliability

## What happens when a vendor fails

The gateway tries the endpoints of a request in order until one answers. Every failure has a *kind*. The kind alone decides what the gateway tries next and what the caller gets: status and code are the same for every vendor. The gateway passes on a vendor's own code only if it describes a problem with an image.

- **Another endpoint** is tried after every kind except \`invalid-request\`, if one is left and no text has reached the caller.
- **The same endpoint** is retried if it is the last one left and the failure may pass: up to two more times (\`server.retries\`), after random waits of at most 250 and 500 ms. The gateway honors a vendor's \`retry-after\` of up to 2 s; a longer one goes to the caller. A broken connection is retried once without waiting, at any endpoint with a single credential, unless another endpoint of its provider has just failed, or the last attempt is needed for another provider.
- **Endpoints that fail are asked last.** Each endpoint has a circuit breaker, which opens when more than half of its latest attempts failed through its fault, and at least five were made. It stays open for 5 s, and twice as long after each further failure, up to a minute. Then a single request is let through: if it is answered, the circuit closes. After a failure in the middle of an answer, that answer must complete; meanwhile another request is let through every 10 s. A circuit also opens for the time that a vendor asks for (\`retry-after\`), or until one of its keys may be used again, up to 5 minutes. A request with no other endpoint is sent anyway.
- **A provider that fails is avoided.** The kinds \`network\`, \`unavailable\` and \`overloaded\` count against the provider, and so does a \`timeout\` without any reply. A single request or model may be to blame for an unusable reply (\`protocol\`), for one that begins and then stays silent, for a \`timeout\` that the vendor reports (408, 504), and for a model that the provider does not know: these count from the second model on. \`auth\`, \`quota\` and \`rate-limit\` count against its account once no key is left. The request then tries the provider's other endpoints after those of other providers, even if it names them first. For other requests, all endpoints of a provider come last while none of its keys is accepted, and while its own circuit breaker is open.
- **A provider's own circuit breaker** opens when more than half of its attempts in the last minute, and at least five, failed in such a way. Silence and broken replies after the first word count, too; unknown models do not. A failed connection counts for all models. Of the other failures, at most three per model count, and none of a model that no catalog lists. Failures for which a single request may be to blame affect only the traffic of their owner: the user of the key, or else its team, or else its organization. They count for everyone once they come from two owners, no more than three from each.
- **At most eight attempts** (\`server.maxAttempts\`) are made for a request. If all of them fail, \`x-gateway-warnings\` names the endpoints that were not asked, for this reason or for lack of credit.
- **Keys are set aside.** A key that a vendor refuses (401) or that has no credit left rests for 5 minutes, a rate-limited one (429) for 20 s, or for the vendor's \`retry-after\`. Meanwhile, the gateway uses the provider's other keys. A request tries at most three keys of a provider while other providers are left. A 402 or 403 may be the request's fault: it is expensive, a firewall rejects it, or its model is not allowed. Neither counts in the uptime of the endpoint, and the first has no consequence. From the second in a row, the key rests for that model, for 10 s and twice as long each time, up to 5 minutes: for the organization whose requests failed, and for all once another organization's requests fail, too. A request that exceeds a limit by itself is \`context-length\`, and no key rests.
- **Retries do not multiply.** After failed retries, an endpoint gets one try per request for 30 s, or until it answers. Models of a provider that no catalog lists share this limit.
- **Timeouts** for connecting, the first event, the time between events, and the whole attempt are settings of the server (\`server.timeouts\`) and options of each provider. A request as a whole may take \`server.runTimeoutMs\`, waits included; an attempt that used at least half of it without beginning to answer counts as a \`timeout\`.
- **A whole reply has one timeout.** Vendors send the head of a whole reply only when the answer is finished, so the gateway cannot tell a slow answer from a vendor that hangs. Without \`stream\`, it waits for \`totalMs\` (10 minutes) before it asks the next endpoint. If your callers cannot wait that long, set the provider's \`timeouts.totalMs\` to a little more than its longest answer takes, or \`hedgeAfter\`, which asks another endpoint meanwhile. A stream waits for \`firstEventMs\` (2 minutes), and so does a whole reply for which the gateway asks the vendor for a stream, to watch a spend cap.
- **A provider with \`maxConcurrent\`** gets at most that many requests at once, from all gateways and workers that [count together](architecture.md#counting-together). Others wait, and callers take turns in each process. A place that is freed in one process goes to a request that waits in another within milliseconds; if all have many, each process keeps its part. While they cannot count together, each goes by its share, rounded up. \`maxQueued\` is for each process. If the endpoint's circuit opens meanwhile, they go to the next endpoint. When \`maxQueued\` requests are waiting, further ones go to the next endpoint or, if none is left, get a 503 with \`retry-after\`.
- **A provider with \`slowStream\`** has to show its pace before the caller sees any of its answer. A stream that is too slow counts as a \`timeout\`, and the gateway tries the next endpoint. The last endpoint left may be slow.
- **A provider with \`hedgeAfter\`** gets some time to begin its answer. After that, the gateway also asks a second endpoint, of another provider if there is one: the first to answer wins, and the other attempt is aborted. The caller pays for the answer. The request's record shows the amount that the vendor may bill for the other attempt (\`outrun\`). An endpoint that is outrun most of the time comes last for a while.
- **Clients learn what to do.** A 424 carries \`x-should-retry: true\` if the same request may succeed next time and \`x-should-retry: false\` if the operator has to act first. The public SDKs follow it.
- **After the first word** nothing is retried. A stream that breaks ends with an \`error\` event and \`response.failed\`, never as a success. In the \`error\` event, a rate limit has the code \`rate_limit_error\`.
- **Account ids** at vendors (organizations, projects, users, cloud accounts) and the gateway's secrets are masked in everything that a caller reads. The gateway does not pass on a vendor's messages about its own key or credit.

| kind | status | code | next endpoint | same endpoint again | \`x-should-retry\` |
|---|---|---|---|---|---|`

const faultsIntroduction = `
A reply that ends before its first word is of kind \`protocol\` and may pass.

## Faults

A test runs every fault on the wires ${wires.map(({ name }) => `\`${name}\``).join(', ')}, with whole replies and streams, alone and with a fallback that answers, and compares the outcome with this table. "Tried" lists the recorded attempts. "Came" is the caller's result; the record of the request has the same status and code. The timeouts are short for the test: a vendor that stays silent costs a stream \`firstEventMs\`, and a whole reply \`totalMs\`.

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

const crowdsIntroduction = `
## Many requests at once

The same faults: five requests at once, with a fallback, at a provider with \`maxConcurrent: 2\`, and one more after them. "Tried" lists the attempts of the last one: if the provider is not among them, its circuit is open. "Came" is the result for all six. Large replies are sent on one wire only, one after the other.

| fault | reply | wires | tried | came |
|---|---|---|---|---|`

const hedgesIntroduction = `
## Hedged requests

The faults of vendors that fall silent, with a fallback and \`hedgeAfter: ${hedgeAfterMs}\`.

| fault | reply | wires | tried | came |
|---|---|---|---|---|`

/** One row for all wires and both modes in which the same happened. */
function ruledRows(found: readonly Ruled[]): readonly string[] {
  return rowsOf(found.map(each => ({ ...each, told: [each.tried, each.came] })))
}

function faultRows(cells: readonly Cell[]): readonly string[] {
  return rowsOf(cells.map(toldOf))
}

function toldOf({ alone, withFallback, ...cell }: Cell): Told {
  return { ...cell, told: [alone.tried, alone.came, withFallback.tried, withFallback.came] }
}

/** The rows of the matrix that the page does not state as measured, one per line. */
export function deniedBy(page: string, { cells, crowds, hedges }: Matrix): readonly string[] {
  const [, , faultsTold = '', crowdsTold = '', hedgesTold = ''] = page.split(/^## /m)
  const tables = [
    [faultsTold, cells.map(toldOf)],
    [crowdsTold, crowds.map(ruled => ({ ...ruled, told: [ruled.tried, ruled.came] }))],
    [hedgesTold, hedges.map(ruled => ({ ...ruled, told: [ruled.tried, ruled.came] }))],
  ] as const
  return tables.flatMap(([table, found]) => found.filter(each => !tells(table, each)).map(each => JSON.stringify(each)))
}

function tells(table: string, { fault, mode, wire, told }: Told): boolean {
  return table.split('\n').some(line => {
    const [, name, reply, onWires = '', ...columns] = line.split(' | ').flatMap(cell => cell.split(/^\| | \|$/))
    return (
      name === fault &&
      (reply === 'both' || reply === mode) &&
      (onWires === 'all' || onWires.split(', ').includes(wire)) &&
      told.every((column, index) => columns[index] === column)
    )
  })
}

interface Told {
  readonly fault: string
  readonly mode: Mode
  readonly wire: string
  readonly told: readonly string[]
}

function rowsOf(found: readonly Told[]): readonly string[] {
  const groups = Map.groupBy(found, ({ fault, told }) => JSON.stringify([fault, told]))
  return [...groups.values()].flatMap(group => {
    const [{ fault, told }] = group as [Told]
    const [whole, streamed] = (['whole', 'stream'] as const).map(mode => wiresOf(group, mode))
    if (whole === streamed) return [row([fault, 'both', whole!, ...told])]
    return [...(whole ? [row([fault, 'whole', whole, ...told])] : []), ...(streamed ? [row([fault, 'stream', streamed, ...told])] : [])]
  })
}

function wiresOf(found: readonly Told[], mode: Mode): string {
  const names = found.filter(each => each.mode === mode).map(({ wire }) => wire)
  return names.length === wires.length ? 'all' : names.join(', ')
}

function yes(holds: boolean): string {
  return holds ? 'yes' : 'no'
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
