import { InvalidArgumentError } from 'commander'
import type { Ask } from './ask.ts'
import type { CallOptions } from './call-actions.ts'
import type { Command } from './command.ts'

const note = `
Prints what is said while it is said, until the call has ended. Ctrl-C hangs up.

With --simulate a simulated person answers instead of the number, from 00 (friendly) to 19: "Simulated people" in /docs lists
them all. In a test workspace simulated people answer every call, and time stands still until its clock is advanced:
parley clock advance 5m

With --json it prints a line for each event: call.created, turn.finished and call.updated. The exit status is 0 when the call
has ended, also if nobody has answered, and 2 if several agents have the name.`

const scopes = ['agents:read', 'calls:read', 'calls:write', 'workspace:read']

export function addCallCommand(program: Command, ask: Ask): void {
  program
    .command('call')
    .description('Call a number with an agent of the running service')
    .argument('<number>', 'The number to call, such as +14155550100')
    .requiredOption('--agent <agent>', 'The name or the id of the agent')
    .option('--channel <id>', 'The channel to call from (default: the only active voice channel)')
    .option('--simulate <person>', 'The simulated person that answers, from 00 to 19', parsePerson)
    .option(
      '--workspace <name>',
      'The workspace that the agent belongs to (default: PARLEY_WORKSPACE, or that of the login, or the oldest one)',
    )
    .addHelpText('after', note)
    .action((to: string, options: CallOptions) =>
      ask({ workspace: options.workspace, command: 'call', scopes }, async (target) =>
        (await import('./call-actions.ts')).call(target, to, options),
      ),
    )
}

function parsePerson(text: string): string {
  if (/^[01]\d$/.test(text)) return text
  throw new InvalidArgumentError('Use two digits from 00 to 19.')
}
