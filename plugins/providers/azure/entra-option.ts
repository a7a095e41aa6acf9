import { existsSync } from 'node:fs'
import type { Options } from '../../../core/index.ts'

const text = { type: 'string', minLength: 1 } as const
const secret = { ...text, writeOnly: true } as const

export const entraOption = {
  type: 'object',
  additionalProperties: false,
  properties: {
    tenantId: { ...text, description: 'The tenant of the application. Default with `tokenFile`: `AZURE_TENANT_ID`.' },
    clientId: {
      ...text,
      description: 'The application. With `managedIdentity`: the user-assigned identity. Default with `tokenFile`: `AZURE_CLIENT_ID`.',
    },
    clientSecret: { ...secret, description: "The application's secret." },
    certificate: { ...secret, description: "The application's certificate and its private key, as PEM text." },
    certificateFile: { ...text, description: 'A PEM file with both, in place of `certificate`. It is read again for every token.' },
    tokenFile: { ...text, description: 'Workload identity: the file with the token that the cluster gives.' },
    managedIdentity: { const: true, description: "The machine's own identity." },
    scope: { ...text, default: 'https://cognitiveservices.azure.com/.default', description: 'What the tokens are for.' },
    authority: {
      type: 'string',
      format: 'uri',
      pattern: '^https:',
      description: 'Where tokens come from. Default: `AZURE_AUTHORITY_HOST`, else `https://login.microsoftonline.com`.',
    },
  },
  description:
    "Access tokens of Microsoft Entra, in place of a key: with one of `clientSecret`, `certificate`, `certificateFile`, `tokenFile` and `managedIdentity`, or with `{}` whatever `DefaultAzureCredential` finds, such as the `AZURE_…` variables of an application, a workload identity, the machine's identity or the login of the `az` command. Needs the package `@azure/identity`.",
} as const

export type EntraOption = Options<typeof entraOption>

/** The option with its paths made absolute by `resolve`. */
export function withPaths(entra: EntraOption, resolve: (path: string) => string): EntraOption {
  const { certificateFile, tokenFile } = entra
  return {
    ...entra,
    ...(certificateFile !== undefined && { certificateFile: resolve(certificateFile) }),
    ...(tokenFile !== undefined && { tokenFile: resolve(tokenFile) }),
  }
}

const proofs = ['clientSecret', 'certificate', 'certificateFile', 'tokenFile', 'managedIdentity'] as const

/** What would fail at the first request, as the end of a sentence about the plugin. Undefined if nothing is wrong. */
export function entraProblem(entra: EntraOption, environment: NodeJS.ProcessEnv): string | undefined {
  const given = proofs.filter(proof => entra[proof] !== undefined)
  if (given.length > 1) return `takes only one of the options entra.${given.join(', entra.')}.`
  const [proof] = given
  if (proof === undefined || proof === 'managedIdentity') return undefined
  const fromEnvironment = proof === 'tokenFile'
  const missing = [
    (entra.tenantId ?? (fromEnvironment && environment['AZURE_TENANT_ID'])) ? undefined : 'tenantId',
    (entra.clientId ?? (fromEnvironment && environment['AZURE_CLIENT_ID'])) ? undefined : 'clientId',
  ].filter(name => name !== undefined)
  if (missing.length > 0) return `needs the option entra.${missing.join(' and entra.')} beside entra.${proof}.`
  const path = entra.certificateFile ?? entra.tokenFile
  return path === undefined || existsSync(path) ? undefined : `cannot find the file ${path} of the option entra.${proof}.`
}
