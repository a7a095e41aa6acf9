import t from 'tap'
import { namedSession } from '../../../core/kit.ts'

const uuid = '7f3c1d52-0b1e-4b52-9f57-0c9b8f9a1e11'

t.test('a body names its session, the first of these members first', t => {
  const metadata = { session_id: 'm', user_id: `user_ab12_account__session_${uuid}` }
  for (const [body, name] of [
    [{}, undefined],
    [{ session_id: 's', conversation: 'conv_1', metadata }, 's'],
    [{ conversation: 'conv_1', metadata }, 'conv_1'],
    [{ conversation: { id: 'conv_1' }, metadata }, 'conv_1'],
    [{ metadata }, 'm'],
    [{ metadata: { user_id: metadata.user_id } }, uuid],
    [{ session_id: '', conversation: null, metadata: null }, undefined],
    [{ session_id: null, conversation: { id: 5 }, metadata }, 'm'],
    [{ session_id: ['s'], metadata: [] }, undefined],
  ] as const)
    t.equal(namedSession(body), name, JSON.stringify(body))
  t.end()
})

t.test('the user of an agent has the session, and any other user has none', t => {
  const ofUser = (user_id: unknown) => namedSession({ metadata: { user_id } })
  t.equal(ofUser(`user_${'a1'.repeat(32)}_account_${uuid}_session_${uuid}`), uuid)
  t.equal(ofUser(`user_${'a1'.repeat(32)}_account__session_${uuid}`), uuid)
  t.equal(ofUser(JSON.stringify({ device_id: 'a1', account_uuid: '', session_id: uuid })), uuid)
  for (const other of [
    'ada',
    'user_ada',
    'ada_session_1',
    'user_ada_session_',
    'user_ada_session_with space',
    '{',
    '{}',
    '{"session_id":5}',
    '[]',
    5,
    null,
    `user_ada_session_${'x'.repeat(3_000)}`,
    `{"session_id":"${'x'.repeat(3_000)}"}`,
  ])
    t.equal(ofUser(other), undefined, String(other).slice(0, 40))
  t.end()
})
