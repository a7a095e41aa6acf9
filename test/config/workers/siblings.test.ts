import t from 'tap'
import type { Order, Report } from '../../../config/workers/messages.ts'
import { passBack, passOn } from '../../../config/workers/questions.ts'
import { Slot } from '../../../config/workers/slot.ts'
import type { WorkerProcess } from '../../../config/workers/worker-process.ts'
import { WorkerSiblings } from '../../../config/workers/worker-siblings.ts'

interface Member {
  readonly siblings: WorkerSiblings
  readonly slot: Slot
  /** It gives no sign of life. */
  isSilent: boolean
  /** It gets no messages. */
  hangs: boolean
}

/** Workers and what their parent does, without processes. Messages are JSON, as between processes. */
function crewOf(count: number): readonly Member[] {
  const members: Member[] = []
  const living: WorkerProcess[] = []
  const slots: Slot[] = []
  for (let number = 1; number <= count; number++) {
    const slot = new Slot(number)
    const heard = (report: Report): void => {
      const told = JSON.parse(JSON.stringify(report)) as Report
      if (told.kind === 'ask') passOn(process, told, slots)
      if (told.kind === 'answer') passBack(process, told, living)
    }
    const member: Member = { slot, isSilent: false, hangs: false, siblings: new WorkerSiblings(number, heard) }
    const obey = (order: Order): void => {
      if (order.kind === 'asked') void member.siblings.asked(order)
      if (order.kind === 'passed') member.siblings.passed(order)
      if (order.kind === 'answered') member.siblings.answered(order)
    }
    const process = {
      number,
      pid: 1_000 + number,
      get isSilent() {
        return member.isSilent
      },
      send: (order: Order) => void (member.hangs || setImmediate(obey, JSON.parse(JSON.stringify(order)))),
    } as unknown as WorkerProcess
    slot.worker = process
    members.push(member)
    living.push(process)
    slots.push(slot)
  }
  return members
}

const patient = 60_000

t.test('a worker asks all others', async t => {
  const crew = crewOf(4)
  for (const { siblings, slot } of crew) siblings.answer('name', () => `worker ${slot.number}`)
  for (const { siblings, slot } of crew) {
    const { answers, silent } = await siblings.ask('name', patient)
    t.equal(silent, 0)
    t.same(
      answers.map(({ worker, text }) => [worker, text]).sort(),
      [1, 2, 3, 4].filter(number => number !== slot.number).map(number => [number, `worker ${number}`]),
    )
  }
  const all = await Promise.all(Array.from({ length: 200 }, (_, index) => crew[index % 4]!.siblings.ask('name', patient)))
  for (const { answers, silent } of all) t.match({ answers: answers.length, silent }, { answers: 3, silent: 0 })
})

t.test('one that hangs, is away, has no answer or fails is left out', async t => {
  const crew = crewOf(6)
  const [first, second, third, fourth, fifth, sixth] = crew as [Member, Member, Member, Member, Member, Member]
  for (const { siblings, slot } of [first, second, fifth, sixth]) siblings.answer('name', () => `worker ${slot.number}`)
  third.siblings.answer('name', () => {
    throw new Error('it fails')
  })
  fourth.siblings.answer('another name', () => 'no answer')
  fifth.isSilent = true
  sixth.slot.worker = undefined
  const known = await first.siblings.ask('name', patient)
  t.same(known, { answers: [{ worker: 2, text: 'worker 2' }], silent: 4 }, 'nobody waits for those that are known to be away')
  fifth.isSilent = false
  fifth.hangs = true
  t.same(await first.siblings.ask('name', 50), { answers: [{ worker: 2, text: 'worker 2' }], silent: 4 })
  fifth.hangs = false
  t.match(await first.siblings.ask('name', patient), { answers: { length: 2 }, silent: 3 })
  t.equal(second.siblings.worker, 2)
})

t.test('answers that come too late are for nobody', async t => {
  const [first, second] = crewOf(2) as [Member, Member]
  const gate = Promise.withResolvers<string>()
  second.siblings.answer('slow', () => gate.promise)
  t.same(await first.siblings.ask('slow', 20), { answers: [], silent: 1 })
  gate.resolve('late')
  await new Promise(setImmediate)
  first.siblings.answered({ kind: 'answered', id: 99, worker: 2, text: 'never asked' })
  t.same(await first.siblings.ask('slow', patient), { answers: [{ worker: 2, text: 'late' }], silent: 0 })
})

t.test('a parent that does not pass questions on keeps nobody waiting', async t => {
  const siblings = new WorkerSiblings(1, () => {})
  t.same(await siblings.ask('name', 20), { answers: [], silent: 1 })
})
