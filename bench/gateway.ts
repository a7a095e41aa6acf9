import type { Command } from './server-process.ts'

export interface GatewayCommand {
  readonly command: Command
  readonly apiKey: string
}

export async function gatewayCommand(port: number, upstream: string): Promise<GatewayCommand> {
  throw new Error(`not yet: ${port} ${upstream}`)
}
