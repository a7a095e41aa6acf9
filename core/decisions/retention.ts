import type { Policy } from '../contracts/policy.ts'
import { GatewayError, policyRefusal } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'

/** Refuses keys with a policy that decisions cannot meet, before anything goes upstream: docs/protocol/decisions.md#errors. */
export function refuseByRetention({ redaction, zdr, hipaa }: Policy): void {
  if (redaction.value)
    throw new GatewayError({
      status: 400,
      type: 'invalid_request_error',
      code: 'redaction_not_supported',
      message: wording`This API key has redaction on (set by the ${own(redaction.source)}), and decisions cannot be redacted. Use a key without it.`,
      reason: { kind: 'policy', level: redaction.source },
    })
  for (const [name, { value, source }] of [
    ['zero data retention', zdr],
    ['HIPAA mode', hipaa],
  ] as const)
    if (value)
      throw policyRefusal(
        wording`This API key has ${own(name)} on (set by the ${own(source)}), and no decision model supports it. Use a key without it.`,
        source,
      )
}
