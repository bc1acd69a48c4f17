import { InvalidArgumentError, Option } from 'commander'
import { kinds, providers } from '../channels/schema.ts'
import type { ChannelOptions, ChannelTestOptions, NewChannelOptions } from './channel-actions.ts'
import type { Command } from './command.ts'
import type { Run } from './run.ts'

const loadActions = () => import('./channel-actions.ts')

const key_note = `
The token is stored encrypted. The command needs the server's SECRETS_KEY or, without DATABASE_URL, its DATA_DIR.`

const test_note = `
An SMS channel sends a message to --to. A telephone number at Twilio is looked up there, and nobody is called.
The command goes by its own PUBLIC_URL and SPEECH_DIR: set them as for the service.
${key_note.trim()}`

const examples = `
Examples:
  parley channel create --workspace W --name Line --kind sms --provider twilio --number +14155550100 \\
    --agent AGENT --account-sid AC... --auth-token-file FILE
  parley channel create --workspace W --name Telephone --kind voice --provider twilio --number +14155550100 \\
    --agent AGENT --account-sid AC... --auth-token-file FILE
  parley channel create --workspace W --name Website --kind web_chat --provider web --agent AGENT \\
    --origins https://example.com --voice
  parley channel create --workspace W --name Talk --kind voice --provider web --agent AGENT`

interface InWorkspace {
  workspace: string
}

export function addChannelCommands(program: Command, run: Run): void {
  const group = program
    .command('channel')
    .summary('Channels')
    .description('Set up web chats and phone numbers of agents')
  const add = (name: string, description: string) =>
    group.command(name).description(description).requiredOption('--workspace <name>', 'The workspace of the channel')
  const id = ['<id>', 'The id that "parley channel list" shows'] as const
  const addSettings = (command: Command) =>
    command
      .option('--agent <name>', 'The agent that answers, by name or id. A simulator may have none: ""')
      .option('--account-sid <sid>', 'The account at Twilio')
      .option('--auth-token-file <file>', "A file with the account's token")
      .option('--api-url <url>', "The URL of the carrier's API (default: Twilio's)")
      .option('--origins <origins>', 'The pages that may show a web chat: https://example.com,...', parseOrigins)
      .option('--voice', 'Let visitors of a web chat also talk')
      .option('--no-voice', "Don't")
      .option('--per-minute <number>', 'How many messages it sends in a minute at most. Not for voice', parseCount)
      .option('--per-day <number>', 'How many messages it sends in a day (UTC) at most. Not for voice', parseCount)
      .option('--tokens-per-day <number>', 'How many tokens it uses in a day (UTC) at most. No limit: ""', parseLimit)

  add('list', 'List channels').action(({ workspace }: InWorkspace) =>
    run(async (service) => (await loadActions()).listChannels(service, workspace)),
  )
  addSettings(
    add('create', 'Create a channel')
      .requiredOption('--name <name>', 'A name for people')
      .addOption(new Option('--kind <kind>', 'How people reach the agent').choices(kinds).makeOptionMandatory())
      .addOption(
        new Option('--provider <provider>', 'Who carries messages or calls').choices(providers).makeOptionMandatory(),
      )
      .option('--number <number>', 'The phone number, such as +14155550100'),
  )
    .addHelpText('after', `${key_note}\n${examples}`)
    .action((options: NewChannelOptions) =>
      run(async (service, shell) => (await loadActions()).createChannel(service, shell, options)),
    )
  addSettings(
    add('update', 'Change a channel')
      .argument(...id)
      .option('--name <name>', 'A name for people'),
  )
    .addHelpText('after', key_note)
    .action((channel: string, options: ChannelOptions) =>
      run(async (service, shell) => (await loadActions()).updateChannel(service, shell, channel, options)),
    )
  add('test', 'Check whether a channel works. If it does not, the exit status is 1')
    .argument(...id)
    .option('--to <number>', 'The phone number that an SMS channel sends a test message to')
    .addHelpText('after', test_note)
    .action((channel: string, options: ChannelTestOptions) =>
      run(async (service) => (await loadActions()).runTest(service, channel, options)),
    )
  for (const [name, status, description] of [
    ['disable', 'disabled', 'Turn a channel off: it neither receives nor sends nor calls'],
    ['enable', 'active', 'Turn a channel on'],
  ] as const)
    add(name, description)
      .argument(...id)
      .action((channel: string, { workspace }: InWorkspace) =>
        run(async (service) => (await loadActions()).setStatus(service, channel, { workspace, status })),
      )
  add('delete', 'Delete a channel. Its conversations stay')
    .argument(...id)
    .action((channel: string, { workspace }: InWorkspace) =>
      run(async (service) => (await loadActions()).deleteChannel(service, channel, workspace)),
    )
}

const parseOrigins = (text: string): string[] =>
  text
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '')

function parseCount(text: string): number {
  if (/^[1-9]\d{0,12}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Use a whole number from 1.')
}

const parseLimit = (text: string): number | '' => (text === '' ? '' : parseCount(text))
