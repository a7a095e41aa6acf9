import { hosts, type Host, type HostName } from '../plugins/providers/openai-chat/hosts.ts'
import { recordedHosts } from './recorded-hosts.ts'

/** `docs/providers.md`, from the table of hosts. */
export function providersPage(): string {
  const rows = Object.entries<Host>(hosts).map(([name, host]) => `| ${cells(name as HostName, host).join(' | ')} |`)
  return `${introduction}\n${rows.join('\n')}\n`
}

const introduction = `<!-- Written by \`npm run docs\` from plugins/providers/openai-chat/hosts.ts: change that. -->

# Providers

| plugin | speaks | key variable for \`defaults()\` |
|---|---|---|
| \`openai-responses\` | OpenAI's Responses, and hosts that speak it: OpenAI, xAI, DeepSeek, OpenRouter by their \`baseUrl\` | \`OPENAI_API_KEY\` |
| \`anthropic\` | Anthropic's Messages | \`ANTHROPIC_API_KEY\` |
| \`gemini\` | Gemini's generateContent, by a key of AI Studio | \`GEMINI_API_KEY\`, \`GOOGLE_API_KEY\` |
| \`vertex\` | Gemini and Claude on Vertex AI, by Google credentials ([below](#cloud-credentials)); it takes \`project\`, \`location\` and \`credentials\` in place of a key | none |
| \`cohere\` | Cohere's Chat, version 2 | \`CO_API_KEY\`, \`COHERE_API_KEY\` |
| \`ollama\` | Ollama's own chat, with the models that the server has | none: where it answers on its port |
| \`bedrock\` | Amazon Bedrock's Converse in one region, for its models, inference profiles and ARNs, by \`apiKey\`, \`credentials\`, \`profile\` or \`defaultChain\` ([below](#cloud-credentials)); InvokeModel with bodies of Anthropic's or OpenAI's for models that \`invoke\` names. Bedrock's addresses in OpenAI's own dialects go with \`openai-responses\` and \`openai-chat\` | \`AWS_BEARER_TOKEN_BEDROCK\`, or \`AWS_ACCESS_KEY_ID\` with \`AWS_SECRET_ACCESS_KEY\`; and \`AWS_REGION\` |
| \`azure\` | on Azure: OpenAI's models through Responses or Chat Completions, Claude through Messages, others through Chat Completions, by deployment; it takes \`resource\`, \`deployments\`, \`apiVersion\`, and a key or Microsoft Entra ([below](#cloud-credentials)) | \`AZURE_OPENAI_API_KEY\` with \`AZURE_OPENAI_ENDPOINT\` |
| \`mistral\` | Mistral's Chat Completions, with \`safePrompt\` and \`guardrails\` | \`MISTRAL_API_KEY\` |
| \`openai-chat\` | Chat Completions, with the hosts below | as below |
| \`ai-sdk\` | whatever a provider package of the AI SDK speaks: see below | none |
| \`sandbox\` | nothing: deterministic models \`sandbox/echo\`, \`sandbox/tools\`, \`sandbox/reasoning\`, \`sandbox/slow\`, \`sandbox/fail\` that exercise every feature without a vendor | none |

Each takes \`id\`, \`apiKey\`, \`baseUrl\`, \`headers\` and \`timeouts\`, and may be listed several times under different ids. A provider that is named explicitly takes any model: \`groq/any-model\`.

## Cloud credentials

Keys that do not change need no package. Everything else comes from the cloud's own library, which you install beside the gateway. Without it the start fails and names it.

| plugin | without a package | with the package | package |
|---|---|---|---|
| \`bedrock\` | \`apiKey\`: a Bedrock API key. \`credentials\`: access keys, with a session token or without. Both also from the environment | \`profile\`: a profile with access keys, a role, single sign-on or a process. \`defaultChain\`: whatever AWS's own tools find. The environment of a container or a cluster (web identity) is enough by itself; for the role of an EC2 instance set \`defaultChain: true\` | \`@aws-sdk/credential-provider-node\` |
| \`azure\` | \`apiKey\`: a key of the resource. \`token\`: a token that you renew yourself | \`entra\`: an application's secret or certificate, a workload identity, a managed identity, or with \`{}\` whatever \`DefaultAzureCredential\` finds, such as the login of \`az\` | \`@azure/identity\` |
| \`vertex\` | nothing | \`credentials\`: a service account, a user, a workload identity, an impersonated service account, application default credentials, or the metadata server of the machine | \`google-auth-library\` |

What a library grants is kept in memory and renewed in the background five minutes before it expires; only the first request waits for it. One question is asked at a time. Logs and errors mask it until it expires. The libraries connect by themselves: the gateway's own connection settings do not apply to them.

## Packages of the AI SDK

Every package whose models are of the AI SDK's specification v2, v3 or v4 is a provider in one line, once it is installed beside the config:

\`\`\`ts
import aiSdk from 'turnpike/plugins/providers/ai-sdk'

aiSdk({ package: '@ai-sdk/groq', apiKey: env('GROQ_API_KEY') })
aiSdk({ package: '@ai-sdk/openai', method: 'chat', id: 'openai-sdk', apiKey: env('OPENAI_API_KEY') })
aiSdk({ package: '@ai-sdk/openai-compatible', settings: { name: 'demo', baseURL: 'https://api.example.com/v1' } })
aiSdk({ package: './my-provider.ts', export: 'provider' })
\`\`\`

\`apiKey\` and \`baseUrl\` are the package's settings \`apiKey\` and \`baseURL\`; everything else that it takes stands in \`settings\`, and is masked like a key unless it is plainly none. What needs code, such as a function that fetches credentials, goes into a module of your own, whose provider is named by \`export\`. Packages may read keys of their own from the environment: those are not masked.

A wire of the table above says more than a package does: refusals come as filtered content, and logprobs, searches and custom tools not at all. Before v4, \`reasoning.effort\` reaches only packages of OpenAI, Azure and Groq; \`providerOptions\` sets it for others.

## Hosts of \`openai-chat\`

\`openaiChat({ host: 'groq', apiKey: env('GROQ_API_KEY') })\`. A host is data: where it is, and where it departs from the protocol. What a host does not take is left out and named in the \`x-gateway-warnings\` header.

A host marked \`*\` is used only where it is configured by name: its key variable belongs to another provider too, or is set for other purposes as well. \`{account}\` in an address is the option \`account\`; among the defaults it comes from the variable that stands behind the key's.

"Replies" tells which rows were checked against recorded replies of the host; the others stand on the page that is linked, and on the protocol's own checks.

| host | address | key variable | not taken | replies | read from |
|---|---|---|---|---|---|`

function cells(name: HostName, host: Host): readonly string[] {
  const variables = [host.keyVariable, host.account?.variable].filter(variable => variable !== undefined)
  return [
    `\`${name}\`${host.explicit ? ' *' : ''}`,
    code(host.baseUrl),
    variables.map(code).join(', '),
    departures(host),
    recordedHosts.has(name) ? 'recorded' : '',
    `[${new URL(host.source).host}](${host.source})`,
  ]
}

function code(text: string | undefined): string {
  return text === undefined ? '' : `\`${text}\``
}

function departures({ without = [], files, customTools }: Host): string {
  return [...without.map(code), ...(files ? [] : ['files']), ...(customTools ? [] : ['custom tools (sent as functions)'])].join(', ')
}
