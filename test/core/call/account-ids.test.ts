import t from 'tap'
import { withoutAccountIds } from '../../../core/call/attempts/account-ids.ts'
import { ProviderFailure } from '../../../core/index.ts'
import { gateway, hello, saying } from '../../kit/gateway.ts'
import { text, witness } from '../../kit/stage.ts'

const uuid = 'bb642ce4-5161-45c9-8f34-408850883602'

/** As vendors word them; every id is made up. */
const sentences: readonly (readonly [said: string, told: string])[] = [
  ['Rate limit reached for gpt-demo in organization org-DemoAb12 on tokens per min.', 'in organization org-*** on'],
  ['Limit reached in organization `org_01demo7x2k` service tier `on_demand`', 'organization `org_***` service'],
  ['Project `proj_DemoAb12CdEf` does not have access to model `gpt-demo`.', 'Project `proj_***` does not have access to model `gpt-demo`.'],
  ['{"user_id":"user_2DemoAbCdEf12"}', '{"user_id":"user_***"}'],
  [`Content violates usage guidelines. Team: ${uuid}, API key ID: ${uuid}, Model: demo`, 'Team: ***, API key ID: ***, Model: demo'],
  [`the rate limit of your organization (${uuid})`, 'your organization (***)'],
  [`(org: ${uuid}, model: claude-demo)`, '(org: ***, model: claude-demo)'],
  ['User: arn:aws:sts::123456789012:assumed-role/demo/me is not authorized', 'User: arn:aws:sts::*** is not authorized'],
  ['arn:aws:bedrock:us-east-1:123456789012:inference-profile/demo', 'arn:aws:bedrock:us-east-1:***'],
  ['arn:aws:bedrock:us-east-1::foundation-model/demo is unknown', 'arn:aws:bedrock:us-east-1::foundation-model/demo is unknown'],
  ['The AWS account 123456789012 may not use this model', 'The AWS account *** may not'],
  [`/subscriptions/${uuid}/resourceGroups/demo/providers/x/accounts/y was not found`, '/subscriptions/*** was not found'],
  ['https://acme-demo.openai.azure.com/openai does not answer', 'https://***.openai.azure.com/openai does not answer'],
  ["The resource 'acme-demo' was not found", "The resource '***' was not found"],
  ['Publisher Model `projects/acme-demo/locations/us-central1/publishers/x/models/y` not found.', '`projects/***/locations/us-central1/'],
  ["of service 'x' for consumer 'project_number:348715329010'.", "consumer 'project_number:***'."],
  ['has not been used in project 1234567890 before', 'in project *** before'],
  ['https://console.example.com/overview?project=acme-demo then', '?project=*** then'],
  ['me@acme-demo.iam.gserviceaccount.com may not', '***.iam.gserviceaccount.com may not'],
]

const innocent = [
  'Error while downloading https://example.com/projects/demo.png.',
  'The user-provided schema of organization-wide tools is invalid.',
  'zai-org/GLM-5.1 is overloaded; try org-mode or 123456789012 tokens.',
  'This model has 1234567 tokens at most.',
]

t.test('ids of accounts at vendors are taken out, and nothing else is', async t => {
  for (const [said, told] of sentences) t.ok(withoutAccountIds(said).includes(told), `${said} → ${withoutAccountIds(said)}`)
  for (const said of innocent) t.equal(withoutAccountIds(said), said)
})

t.test('no caller reads them, in the sentence or in the payload, before the stream or in it', async t => {
  const said = sentences.map(([sentence]) => sentence).join(' ')
  let spoken = false
  const acme = witness('acme', function* () {
    if (spoken) yield text('Hel')
    throw new ProviderFailure({ kind: 'invalid-request', message: said, upstream: JSON.stringify({ error: said }) })
  })
  const under = await gateway({ plugins: [acme.plugin, saying('globex', hello)], settings: { logLevel: 'silent' } })
  t.teardown(under.stop)
  for (const [stream, afterwards] of [
    [false, false],
    [true, false],
    [true, true],
  ] as const) {
    spoken = afterwards
    const reply = await under.request('/v1/responses', { body: { model: 'acme/m', input: 'hi', stream } })
    const told = await reply.text()
    t.match(told, 'gpt-demo', 'the sentence is told')
    t.notMatch(told, /DemoAb12|01demo7x2k|408850883602|123456789012|acme-demo|348715329010/)
  }
})
