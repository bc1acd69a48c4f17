import type { ChatOptions } from './chat-actions.ts'
import type { Command } from './command.ts'
import type { Run } from './run.ts'

const note = `
Each line that you type is a message. To end the conversation, type /end or press Ctrl-D. Lines from a pipe are sent one after
the other, each after the answer to the one before: echo "When are you open?" | parley chat Receptionist

The service must be running, at the address that HOST and PORT, or PUBLIC_URL, name. The command uses an API key of its own,
which is revoked at the end and works for at most an hour. With --json it prints a line for each event: conversation.started,
turn.finished and conversation.updated. The exit status is 2 if several agents have the name.`

export function addChatCommand(program: Command, run: Run, isJson: () => boolean): void {
  program
    .command('chat')
    .description('Talk to an agent of the running service')
    .argument('<agent>', 'The name or the id of the agent')
    .option('--workspace <name>', 'The workspace that the agent belongs to (default: the oldest one)')
    .option('--draft', 'Try the draft of the agent instead of the deployed version')
    .addHelpText('after', note)
    .action((agent: string, options: ChatOptions) =>
      run(async (service, shell) =>
        (await import('./chat-actions.ts')).chat(service, shell, agent, { ...options, is_json: isJson() }),
      ),
    )
}
