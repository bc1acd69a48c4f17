import type { Ask } from './ask.ts'
import type { ChatOptions } from './chat-actions.ts'
import type { Command } from './command.ts'

const note = `
Each line that you type is a message. To end the conversation, type /end or press Ctrl-D. Lines from a pipe are sent one after
the other, each after the answer to the one before: echo "When are you open?" | parley chat Receptionist

With --json it prints a line for each event: conversation.started, turn.finished and conversation.updated. The exit status is 2 if several agents have the name.`

const scopes = ['agents:read', 'conversations:read', 'conversations:write', 'workspace:read']

export function addChatCommand(program: Command, ask: Ask): void {
  program
    .command('chat')
    .description('Talk to an agent of the running service')
    .argument('<agent>', 'The name or the id of the agent')
    .option(
      '--workspace <name>',
      'The workspace that the agent belongs to (default: PARLEY_WORKSPACE, or that of the login, or the oldest one)',
    )
    .option('--draft', 'Try the draft of the agent instead of the deployed version')
    .addHelpText('after', note)
    .action((agent: string, options: ChatOptions) =>
      ask({ workspace: options.workspace, command: 'chat', scopes }, async (target) =>
        (await import('./chat-actions.ts')).chat(target, agent, options),
      ),
    )
}
