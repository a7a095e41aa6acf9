import assert from 'node:assert/strict'
import { onStage, type CallStage, type CallSuiteOptions } from '../call-stage.ts'
import type { SuiteContext } from '../provider-suite.ts'
import type { TestGateway } from '../test-gateway.ts'

/** For `conversationsSuite`. */
export interface ConversationsSuiteOptions extends CallSuiteOptions {
  /** Makes an empty conversation of the caller with the key of the gateway, and returns its id. */
  create(gateway: TestGateway): Promise<string>
}

/** Tests for every implementation of `Conversations`, through the member `conversation` of responses. */
export function conversationsSuite(t: SuiteContext, options: ConversationsSuiteOptions): void {
  const on = (name: string, run: (stage: CallStage, id: string) => Promise<void>): unknown =>
    t.test(name, () => onStage(options, async stage => run(stage, await options.create(stage.gateway))))
  const ask = (stage: CallStage, conversation: string, prompt: string, apiKey?: string): ReturnType<CallStage['ask']> =>
    stage.ask(prompt, { more: { conversation }, ...(apiKey !== undefined && { apiKey }) })
  const heard = (stage: CallStage): string => JSON.stringify(stage.calls.at(-1)?.request.input)
  on('a run gets what earlier runs added', async (stage, id) => {
    assert.equal((await ask(stage, id, 'first')).status, 200)
    assert.equal((await ask(stage, id, 'second')).status, 200)
    assert.ok(heard(stage).includes('first') && heard(stage).includes('second'), 'the model must read both turns')
  })
  on('nobody knows an unknown conversation, or that of another owner', async (stage, id) => {
    await ask(stage, id, 'first')
    const { calls } = stage
    const before = calls.length
    for (const odd of ['conv_unknown', `${id}x`, id.slice(0, -1)]) assert.equal((await ask(stage, odd, 'hello')).status, 404, odd)
    assert.equal((await ask(stage, id, 'hello', await stage.otherKey())).status, 404, 'another owner')
    assert.equal(calls.length, before, 'no model is asked')
  })
  on('of two runs at once, one has the conversation', async (stage, id) => {
    const asked = await Promise.all([1, 2, 3].map(index => ask(stage, id, `at once ${index}`)))
    const served = asked.filter(({ status }) => status === 200).length
    assert.ok(served >= 1, 'one of them is served')
    for (const { status } of asked) assert.ok(status === 200 || (status >= 400 && status < 500), `status ${status}`)
    assert.equal((await ask(stage, id, 'after')).status, 200, 'afterwards it is free')
    assert.equal(heard(stage).split('at once').length - 1, served, 'those that were served are in it, and no other')
  })
  on('a run that breaks off adds nothing, and frees the conversation', async (stage, id) => {
    stage.answering = 'breaks'
    await ask(stage, id, 'broken')
    stage.answering = 'whole'
    assert.equal((await ask(stage, id, 'next')).status, 200)
    assert.ok(!heard(stage).includes('broken'), 'an answer that is not complete is not part of it')
  })
}
