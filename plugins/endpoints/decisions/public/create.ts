import type { Exchange, Reply } from '../../../../core/index.ts'
import { gatewayHeaders, type GatewayServices, type Warning } from '../../../../core/kit.ts'
import { neutralDecision } from './neutral-request.ts'
import { parsePublicDecision } from './parse.ts'
import { publicAnswer } from './public-answer.ts'
import { publicUsage } from './usage.ts'

/** Answers a decision in the public format. */
export async function createDecision(exchange: Exchange, gateway: GatewayServices, body: unknown): Promise<Reply> {
  const { request, asked, warnings: unknown } = neutralDecision(parsePublicDecision(body))
  const decided = await gateway.decide(exchange, request, exchange.bodyBytes)
  const { model, answers, extra, attempts, warnings: lost = [] } = decided
  const warnings: Warning[] = [...unknown, ...lost]
  const given = asked.map((each, index) => {
    const answer = Object.hasOwn(answers, each.id) ? answers[each.id] : undefined
    if (!answer) throw new Error('a guardrail changed the id of a question')
    return publicAnswer(each, index, answer, warnings)
  })
  const provider = attempts > 0 ? model.slice(0, model.indexOf('/')) : undefined
  const known = { id: exchange.id, answers: given, model, usage: publicUsage(decided) }
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...gatewayHeaders({ provider, attempts, warnings }) },
    body: JSON.stringify({ ...known, ...extra, ...known }),
  }
}
