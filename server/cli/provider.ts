import { Option } from 'commander'
import { provider_kinds } from '../models/schema.ts'
import type { Command } from './command.ts'
import type { NewProviderOptions } from './provider-actions.ts'
import type { Run } from './run.ts'

const loadActions = () => import('./provider-actions.ts')
const workspace_option = ['--workspace <name>', 'The workspace of the provider'] as const

const service_note = `
While the service runs, these commands ask it (at PUBLIC_URL, or HOST and PORT): its OUTBOUND_ALLOW_HOSTS and its
OPENAI_API_KEY count. Otherwise they go by their own, and say so.`

interface InWorkspaceOption {
  workspace: string
}

export function addProviderCommands(program: Command, run: Run): void {
  const group = program
    .command('provider')
    .summary('Model providers')
    .description('Manage the accounts at model and speech services')
    .addHelpText('after', service_note)
  group
    .command('list')
    .description('List the providers of a workspace')
    .requiredOption(...workspace_option)
    .action(({ workspace }: InWorkspaceOption) =>
      run(async (service, shell) => (await loadActions()).listProviders(service, shell, workspace)),
    )
  group
    .command('create')
    .description('Create a provider')
    .argument('<name>', 'What agents call it')
    .requiredOption(...workspace_option)
    .addOption(
      new Option('--kind <kind>', 'The API of the service').choices(provider_kinds).default('openai_compatible'),
    )
    .option('--model <model>', 'The model that is used when none is named (for speech only: optional)')
    .option('--embedding-model <model>', 'The model that turns texts into vectors')
    .option('--base-url <url>', "The URL of the API (default: the vendor's own)")
    .option('--default', 'Let agents without a model use it')
    .option('--key-file <file>', 'A file with the API key')
    .addHelpText(
      'after',
      '\nWithout --key-file, asks for the API key, or reads it from standard input. It may be empty, and can be set later in the dashboard.',
    )
    .action((name: string, options: NewProviderOptions) =>
      run(async (service, shell) => (await loadActions()).createProvider(service, shell, name, options)),
    )
  group
    .command('delete')
    .description('Delete a provider that no agent names')
    .argument('<name>', 'The name of the provider')
    .requiredOption(...workspace_option)
    .action((name: string, { workspace }: InWorkspaceOption) =>
      run(async (service, shell) => (await loadActions()).deleteProvider(service, shell, name, workspace)),
    )
  group
    .command('test')
    .description('Send a short request to a provider. If it fails, the exit status is 1')
    .argument('<name>', 'The name of the provider')
    .requiredOption(...workspace_option)
    .action((name: string, { workspace }: InWorkspaceOption) =>
      run(async (service, shell) => (await loadActions()).testByName(service, shell, name, workspace)),
    )
}
