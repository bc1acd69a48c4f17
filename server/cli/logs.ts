import { InvalidArgumentError } from 'commander'
import type { Ask } from './ask.ts'
import type { Command } from './command.ts'
import type { LogOptions } from './logs-actions.ts'

const note = `
A line has the time, the agent, the conversation and the number of the turn, how long the answer took, its tokens, how it ended, the
tools that were called, and the text. With --json it is the turn, with conversation_id and agent_id. It reads the events of turns:
those of the last 30 days, unless the service keeps them for another time.`

const scopes = ['agents:read', 'conversations:read', 'calls:read', 'events:read', 'workspace:read']

export function addLogsCommand(program: Command, ask: Ask): void {
  program
    .command('logs')
    .description('Print what agents have answered, oldest first')
    .argument('[agent]', 'Only the answers of this agent: its name or its id')
    .option('--limit <number>', 'How many of the last answers to print, up to 100', parseLimit, 20)
    .option('--follow', 'Go on with new answers, until Ctrl-C')
    .option('--workspace <name>', 'The workspace (default: PARLEY_WORKSPACE, or that of the login, or the oldest one)')
    .addHelpText('after', note)
    .action((agent: string | undefined, options: LogOptions) =>
      ask({ workspace: options.workspace, command: 'logs', scopes }, async (target) =>
        (await import('./logs-actions.ts')).printLogs(target, agent, options),
      ),
    )
}

function parseLimit(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : -1
  if (limit >= 0 && limit <= 100) return limit
  throw new InvalidArgumentError('Use a whole number from 0 to 100.')
}
