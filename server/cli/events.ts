import type { Ask } from './ask.ts'
import type { Command } from './command.ts'
import type { EventOptions } from './events-actions.ts'

const loadActions = () => import('./events-actions.ts')

const listen_note = `
Sends each event to the URL as a webhook does, signed with a secret that it prints, so that an application on this machine gets
events of a service that can't reach it. The events come in order, one at a time. A request that fails, or gets a status other than
2xx, is repeated twice, after 1 and 5 seconds; then the event is reported and left out. When the connection to the service is lost,
it goes on after the last event that it got.`

const trigger_note = `
Sends the example of the documentation, signed, to the application of a running "parley listen", or with --webhook to the URL of
one webhook. It asks for the secret of that webhook, or reads it from standard input. Nothing is stored: there is no such event, and
no delivery.

Example: parley trigger call.ended`

export function addEventsCommands(program: Command, ask: Ask): void {
  const group = program.command('events').summary('Events').description('Follow the events of a workspace')
  withOptions(group.command('tail').description('Print events as they happen, one in a line, until Ctrl-C')).action(
    (options: EventOptions) =>
      ask(as('events', options), async (target) => (await loadActions()).tailEvents(target, options)),
  )
}

export function addListenCommand(program: Command, ask: Ask): void {
  withOptions(program.command('listen').description('Send events to an application on this machine, until Ctrl-C'))
    .requiredOption('--forward <url>', 'Where to send them, such as http://localhost:3000/webhooks')
    .option('--secret <secret>', 'The secret that signs, whsec_... (default: a new one)')
    .addHelpText('after', listen_note)
    .action((options: EventOptions & { forward: string; secret?: string }) =>
      ask(as('listen', options), async (target) => (await loadActions()).listen(target, options)),
    )
}

export function addTriggerCommand(program: Command, ask: Ask): void {
  program
    .command('trigger')
    .description('Send an example of an event to an application')
    .argument('<type>', 'The type of the event, such as call.ended')
    .option('--webhook <id>', 'Send it to this webhook instead')
    .option(
      '--workspace <name>',
      'The workspace of the webhook (default: PARLEY_WORKSPACE, or that of the login, or the oldest one)',
    )
    .addHelpText('after', trigger_note)
    .action((type: string, options: { webhook?: string; workspace?: string }) =>
      ask(
        { workspace: options.workspace, command: 'trigger', scopes: ['webhooks:read', 'workspace:read'] },
        async (to) => (await loadActions()).trigger(to, type, options.webhook),
      ),
    )
}

/**
 * Returns the key of the command. It has all scopes, because a key without the scope of a type doesn't get its events.
 */
const as = (command: string, { workspace }: EventOptions) => ({ workspace, command, scopes: ['*'] })

const withOptions = (command: Command): Command =>
  command
    .option('--type <pattern>', 'Only events of this type, or of a pattern such as call.*')
    .option('--after <id>', 'Begin after the event with this id (default: with new events)')
    .option('--workspace <name>', 'The workspace (default: PARLEY_WORKSPACE, or that of the login, or the oldest one)')
