import { Option } from 'commander'
import type { Provider } from '../../sdk/src/index.ts'
import type { Ask } from './ask.ts'
import type { Command } from './command.ts'
import type { ProviderOptions } from './provider-actions.ts'

const loadActions = () => import('./provider-actions.ts')

/**
 * The kinds are an object, so that none can be forgotten. They are not imported from the server, which takes a while.
 */
const kinds: Record<Provider['kind'], true> = {
  openai_compatible: true,
  anthropic: true,
  elevenlabs: true,
  deepgram: true,
}

const key_note = `
Without --key-file, asks for the API key, or reads it from standard input. It may be empty, and can be set later with
"parley provider update NAME --key-file FILE".`

interface InWorkspace {
  workspace?: string
}

const as = ({ workspace }: InWorkspace) => ({
  workspace,
  command: 'provider',
  scopes: ['providers:read', 'providers:write', 'workspace:read'],
})

export function addProviderCommands(program: Command, ask: Ask): void {
  const group = program
    .command('provider')
    .summary('Model providers')
    .description('Manage the accounts at model and speech services, through the API of the running service')
  const add = (name: string, description: string) =>
    group
      .command(name)
      .description(description)
      .option(
        '--workspace <name>',
        'The workspace of the provider (default: PARLEY_WORKSPACE, or that of the login, or the oldest one)',
      )
  const addSettings = (command: Command) =>
    command
      .option('--model <model>', 'The model that is used when none is named (for speech only: optional)')
      .option('--embedding-model <model>', 'The model that turns texts into vectors')
      .option('--base-url <url>', "The URL of the API (default: the vendor's own)")
      .option('--default', 'Let agents without a model use it')
      .option('--key-file <file>', 'A file with the API key')
  const provider = ['<name>', 'The name of the provider'] as const
  add('list', 'List the providers of a workspace').action((options: InWorkspace) =>
    ask(as(options), async (target) => (await loadActions()).listProviders(target)),
  )
  addSettings(add('create', 'Create a provider'))
    .argument('<name>', 'What agents call it')
    .addOption(
      new Option('--kind <kind>', 'The API of the service').choices(Object.keys(kinds)).default('openai_compatible'),
    )
    .addHelpText('after', key_note)
    .action((name: string, options: InWorkspace & ProviderOptions & { kind: Provider['kind'] }) =>
      ask(as(options), async (target) => (await loadActions()).createProvider(target, name, options)),
    )
  addSettings(add('update', 'Change a provider'))
    .argument(...provider)
    .option('--name <name>', 'Another name')
    .option('--no-default', "Don't let agents without a model use it")
    .addHelpText('after', '\nWhat is not named keeps its value.')
    .action((name: string, options: InWorkspace & ProviderOptions & { name?: string }) =>
      ask(as(options), async (target) => (await loadActions()).updateProvider(target, name, options)),
    )
  add('delete', 'Delete a provider that no agent names')
    .argument(...provider)
    .action((name: string, options: InWorkspace) =>
      ask(as(options), async (target) => (await loadActions()).deleteProvider(target, name)),
    )
  add('test', 'Send a short request to a provider. If it fails, the exit status is 1')
    .argument(...provider)
    .action((name: string, options: InWorkspace) =>
      ask(as(options), async (target) => (await loadActions()).testByName(target, name)),
    )
}
