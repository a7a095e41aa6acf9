import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { Finder } from '../../../plugins/guardrails/redaction/finder.ts'
import { hosts, type Host } from '../../../plugins/providers/openai-chat/hosts.ts'

const finder = new Finder({ detectors: ['secret'] })

/** The same characters every time, of an alphabet. No key of anybody. */
function characters(length: number, alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'): string {
  let made = ''
  for (let round = 0; made.length < length; round++)
    for (const byte of createHash('sha256').update(`demo ${round}`).digest()) made += alphabet[byte % alphabet.length]
  return made.slice(0, length)
}

const hex = (length: number): string => characters(length, '0123456789abcdef')
const digits = (length: number): string => characters(length, '123456789')
const key = (length: number): string => characters(length)

/** One example per rule of secretlint's recommended preset. The rule of AWS is off for ids, the one of GCP is for files. */
const ofRules: Readonly<Record<string, readonly string[]>> = {
  aws: [`AWS_SECRET_ACCESS_KEY=${key(40)}`, `"aws_secret_access_key" => "${key(40)}"`],
  gcp: [
    JSON.stringify({
      type: 'service_account',
      private_key_id: hex(40),
      private_key: `-----BEGIN PRIVATE KEY-----\n${key(64)}\n${key(20)}=\n-----END PRIVATE KEY-----\n`,
    }),
  ],
  privatekey: [`-----BEGIN RSA PRIVATE KEY-----\nMII${key(61)}\n${key(64)}\n${key(8)}==\n-----END RSA PRIVATE KEY-----`],
  npm: [
    `npm_${key(36)}`,
    `//registry.example.com/:_authToken=${key(30)}.${key(6)}`,
    `https://${key(40)}:x-oauth-basic@github.com/demo/demo.git`,
  ],
  slack: [
    `xoxb-${digits(12)}-${digits(12)}-${key(24)}`,
    `xapp-1-A${digits(10)}-${digits(13)}-${hex(40)}`,
    `https://hooks.slack.com/services/T${key(8)}/B${key(8)}/${key(24)}`,
  ],
  basicauth: [`https://backup-user:${key(12)}@files.example.com/a`, `ftps://deployment:${key(12)}@files.example.com`],
  openai: [`sk-proj-${key(74)}T3BlbkFJ${key(74)}`, `sk-${key(20)}T3BlbkFJ${key(20)}`],
  anthropic: [`sk-ant-api03-${key(93)}AA`],
  groq: [`gsk_${key(52)}`],
  huggingface: [`hf_${characters(34, 'abcdefghijklmnopqrstuvwxyzABCDEF')}`],
  linear: [`lin_api_${key(40)}`],
  notion: [`ntn_${digits(11)}${key(35)}`],
  sendgrid: [`SG.${key(22)}.${key(43)}`],
  shopify: [`shpat_${hex(32)}`],
  stripe: [`sk_live_${key(24)}`, `rk_test_${key(24)}`],
  github: [`ghp_${key(36)}`, `github_pat_${key(22)}_${key(59)}`],
  gitlab: [`glpat-${key(20)}`],
  grafana: [`glc_${key(60)}=`, `glsa_${key(32)}_${hex(8)}`],
  '1password': [
    `ops_${Buffer.from(JSON.stringify({ email: 'demo@example.com', muk: { k: key(120) } }))
      .toString('base64')
      .replace(/=*$/, '')
      .slice(0, -2)}fQ`,
  ],
  'database-connection-string': [
    `mongodb+srv://app:${key(8)}@${key(6)}@db.example.com/demo`,
    `jdbc:mysql://admin:${key(12)}@db.example.com:3306/demo`,
    `postgres://api:${key(12)}@db.example.com/demo`,
  ],
  'hashicorp-vault': [`hvs.${key(96)}`, `hvb.${key(150)}`],
  vercel: [`vcp_${key(24)}`, `vck_${key(56)}`],
  databricks: [`dapi${hex(32)}`],
  docker: [`dckr_pat_${key(27)}`],
  figma: [`figd_${key(40)}`],
  cloudflare: [`cfut_${key(40)}${hex(8)}`],
  tailscale: [`tskey-auth-${key(12)}-${key(24)}`],
  'filter-comments': [`// secretlint-disable\nghp_${key(36)}`, `ghp_${key(36)} // secretlint-disable-line`],
}

/** Text around a secret that may stay. */
const harmless =
  /AWS_SECRET_ACCESS_KEY|aws_secret_access_key|service_account|private_key(?:_id)?|registry\.example\.com|_authToken|github\.com|x-oauth-basic|demo|backup-user|files\.example\.com|deployment|db\.example\.com|mongodb\+srv|jdbc|mysql|postgres|admin|secretlint-disable(?:-line)?/g

async function left(text: string): Promise<string> {
  let rest = ''
  let from = 0
  for (const { start, end } of await finder.find(text)) {
    rest += `${text.slice(from, start)} `
    from = end
  }
  return rest + text.slice(from)
}

t.test('the rules of secretlint, each with an example', async t => {
  const source = readFileSync(new URL(import.meta.resolve('@secretlint/secretlint-rule-preset-recommend')), 'utf8')
  const rules = new Set(Array.from(source.matchAll(/id: "@secretlint\/secretlint-rule-([\w-]+)"/g), ([, rule]) => rule!))
  rules.delete('preset-recommend')
  t.same([...rules].toSorted(), Object.keys(ofRules).toSorted(), 'a new rule needs an example, and perhaps a hint in secret.ts')
  for (const [rule, examples] of Object.entries(ofRules))
    for (const example of examples)
      for (const text of [example, `Use ${example} for it.`, `密钥：${example}。`]) {
        if (rule === 'gcp' && text !== example) continue
        const rest = (await left(text)).replaceAll(harmless, '')
        // The id of a key is no secret.
        t.notMatch(rest.replace(hex(40), ''), /[A-Za-z0-9]{8}/, `${rule}: ${rest} is left of ${text}`)
      }
})

/** The forms of keys that tell whose they are. */
const forms: Readonly<Record<string, string>> = {
  'the gateway': `tp_${hex(12)}_${hex(48)}`,
  'the admin API': `ta_${key(43)}`,
  openai: `sk-svcacct-${key(100)}`,
  anthropic: `sk-ant-api03-${key(95)}`,
  gemini: `AIza${key(35)}`,
  'gemini, newer': `AQ.${key(50)}`,
  groq: `gsk_${key(52)}`,
  together: `tgp_v1_${key(43)}`,
  fireworks: `fw_${key(24)}`,
  cerebras: `csk-${characters(48, 'abcdefghijklmnopqrstuvwxyz0123456789')}`,
  nvidia: `nvapi-${key(64)}`,
  openrouter: `sk-or-v1-${hex(64)}`,
  xai: `xai-${key(80)}`,
  perplexity: `pplx-${key(48)}`,
  deepseek: `sk-${hex(32)}`,
  moonshot: `sk-${key(48)}`,
  zai: `${hex(32)}.${key(16)}`,
  chutes: `cpk_${hex(32)}.${hex(32)}.${key(32)}`,
  featherless: `rc_${hex(64)}`,
  upstage: `up_${key(29)}`,
  novita: `sk_${key(43)}`,
  vercel: `vck_${key(56)}`,
  synthetic: `syn_${hex(32)}`,
  llama: `LLM|${digits(16)}|${key(27)}`,
  huggingface: `hf_${characters(34, 'abcdefghijklmnopqrstuvwxyzABCDEF')}`,
  bedrock: `ABSK${key(108)}=`,
  aws: `AKIA${characters(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`,
  ollama: `${hex(32)}.${key(24)}`,
  'tokens of Entra and Google': `eyJ${key(33)}.eyJ${key(200)}.${key(86)}`,
}

t.test('the forms of keys that vendors and this gateway have', async t => {
  for (const [vendor, value] of Object.entries(forms))
    for (const text of [value, `key ${value}, thanks`, `"${value}"`, `密钥${value}。`, `a=${value}&b=1`, `x\n${value}\ny`])
      t.notOk((await left(text)).includes(value.slice(-12)), `${vendor}: ${text}`)
})

/** Keys without a recognizable form: plain letters and digits, in hexadecimal, or a UUID. */
const plain = [key(32), hex(40), hex(64), characters(36, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'), 'f47ac10b-58cc-4372-a567-0e02b2c3d479']

t.test('keys of every provider, after the word that announces them', async t => {
  const variables = Object.values(hosts as Readonly<Record<string, Host>>).flatMap(({ keyVariable }) => keyVariable ?? [])
  t.ok(variables.length > 60)
  const others = [
    'AZURE_OPENAI_API_KEY',
    'CO_API_KEY',
    'AWS_BEARER_TOKEN_BEDROCK',
    'x-api-key',
    'api-key',
    'apiKey',
    'client_secret',
    'access_token',
  ]
  for (const variable of new Set([...variables, ...others]))
    for (const value of plain)
      for (const text of [
        `${variable}=${value}`,
        `export ${variable}="${value}"`,
        `{"${variable}": "${value}"}`,
        `${variable}: ${value}\n`,
      ])
        t.notOk((await left(text)).includes(value), text)
  for (const value of plain) t.notOk((await left(`Authorization: Bearer ${value}`)).includes(value))
})

t.test('passwords after the word, and words that are none', async t => {
  for (const text of ['password=demo-55!', 'PGPASSWORD=demo2@x psql', 'Uid=jane;Pwd=demopass;', '"password": "demo1234"'])
    t.notMatch(await left(text), /demo/, text)
  for (const text of [
    'password: required',
    'the password is wrong',
    'const password = getPassword1()',
    'postgres://app:${PASSWORD}@db.example.com',
    'https://<user>:<password>@example.com',
    'max_tokens=4096',
    'token: string',
    'api_key: process.env.API_KEY_2',
    'the sk-learn-based-model-of-2024 is fine',
    'the key-value-store-of-2024-service',
    '-----BEGIN PRIVATE KEY----- is how it begins',
  ])
    t.equal(await left(text), text)
})

t.test('private keys of any length, quoted, escaped, or cut', async t => {
  const lines = (count: number): string[] => Array.from({ length: count }, (_, index) => `${key(60)}${String(index).padStart(4, '0')}`)
  const pem = (count: number, newline = '\n'): string =>
    ['-----BEGIN RSA PRIVATE KEY-----', ...lines(count), `${key(9)}==`, '-----END RSA PRIVATE KEY-----'].join(newline)
  const last = key(60)
  for (const [what, text] of Object.entries({
    long: pem(300),
    quoted: pem(20).replaceAll('\n', '\n> '),
    escaped: pem(20, '\\n'),
    'with headers': pem(20).replace('\n', '\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,1A2B3C4D5E6F7A8B\n\n'),
    cut: pem(20).slice(0, -200),
    pgp: `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: Demo 1.2\n\n${lines(30).join('\n')}\n=a1B2\n-----END PGP PRIVATE KEY BLOCK-----`,
    'in a list': pem(20)
      .split('\n')
      .map(line => JSON.stringify(line))
      .join(',\n  '),
  }))
    for (const before of ['', 'word '.repeat(818), 'word '.repeat(819)]) t.notOk((await left(before + text)).includes(last), what)
  const rest = await left(`Here:\n${pem(3)}\nAnd this stays.`)
  t.match(rest, /^Here:\n +\nAnd this stays\.$/)
})
