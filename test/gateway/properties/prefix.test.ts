import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import { fakeUpstream, type TestGateway } from '../../../core/testing/index.ts'
import redaction from '../../../plugins/guardrails/redaction/index.ts'
import { gateway } from '../../kit/gateway.ts'
import { runs } from '../../kit/runs.ts'
import { changes } from './prefix/bytes.ts'
import { extended, inTextAlone, type Conversation } from './prefix/conversations.ts'
import { wires } from './prefix/endpoints.ts'
import { pathFor } from './prefix/surface.ts'
import { surfaces } from './prefix/surfaces.ts'

// Vendors' caches live by it: a longer conversation begins with the bytes of the shorter one.

t.setTimeout(300_000)

for (const redacts of [false, true])
  t.test(redacts ? 'with redaction on' : 'with nothing in between', async t => {
    const asked: string[] = []
    const vendors = await Promise.all(
      Object.values(wires).map(({ turns }) =>
        fakeUpstream(({ text }) => {
          asked.push(text)
          return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(turns.at(-1)) }
        }),
      ),
    )
    t.teardown(() => Promise.all(vendors.map(vendor => vendor.close())))
    const under = await gateway({
      plugins: [
        redaction({}),
        ...Object.values(surfaces).flatMap(({ plugin }) => plugin ?? []),
        ...Object.entries(wires).map(([id, { use }], index) => use(id, vendors[index]!.url)),
      ],
      key: { policy: { redaction: { value: redacts, settings: { unreadable: 'pass' } } } },
    })
    t.teardown(under.stop)
    const sent = async (path: string, body: object): Promise<string | undefined> => {
      asked.length = 0
      const { status } = await asks(under, path, body)
      return status === 200 ? asked[0] : undefined
    }
    let salt = 0
    for (const [id, { models, excepted }] of Object.entries(wires))
      for (const model of models)
        for (const [name, { path, body }] of Object.entries(surfaces)) {
          let compared = 0
          const check = async ({ conversation, before }: { conversation: Conversation; before: number }): Promise<void> => {
            const ask = (said: Conversation, turns: number): Promise<string | undefined> =>
              sent(pathFor({ path }, `${id}/${model}`), body(`${id}/${model}`, { ...said, turns: said.turns.slice(0, turns) }))
            if (excepted?.(conversation.turns[before - 1]!, conversation.turns[before]!, model)) return
            let said = conversation
            // Few vendors take images and files everywhere.
            const longer = (await ask(said, said.turns.length)) ?? (await ask((said = inTextAlone(said)), said.turns.length))
            const shorter = await ask(said, before)
            if (longer === undefined || shorter === undefined) throw new Error('the conversation was refused')
            compared += 1
            const problems = changes(shorter, longer)
            if (problems.length > 0) throw new Error(problems.join('\n'))
            if ((await ask(said, before)) !== shorter) throw new Error('the same request was sent with other bytes')
          }
          const tries = runs(redacts ? 5 : 10, salt++)
          const found = await fc.check(fc.asyncProperty(extended, check), tries)
          await setImmediate()
          if (found.failed) t.fail(`${name} to ${id}/${model}: ${String(found.errorInstance)} ${fc.defaultReportMessage(found)}`)
          else t.ok(compared > tries.numRuns / 2, `${name} to ${id}/${model}: ${compared} compared`)
        }
  })

async function asks(under: TestGateway, path: string, body: object): Promise<{ readonly status: number; readonly text: string }> {
  const reply = await under.request(path, { body })
  return { status: reply.status, text: await reply.text() }
}
