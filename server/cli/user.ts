import { Option } from 'commander'
import { roles } from '../people/roles.ts'
import type { Command } from './command.ts'
import type { Run } from './run.ts'
import type { NewMember, NewUser } from './user-actions.ts'

const loadActions = () => import('./user-actions.ts')
const roleOption = () => new Option('--role <role>', 'The role in the workspace').choices(roles).default('owner')
const password_note = '\nAsks for the password, or reads it from standard input if that is not a terminal.'
const link_note = `
The link works once, for an hour. It begins with PUBLIC_URL, so set that as for the service. Setting the password ends all
sessions of the person. Two-factor sign-in stays on.`

export function addUserCommands(program: Command, run: Run): void {
  const group = program.command('user').summary('People').description('Manage the people who sign in to the dashboard')
  group
    .command('create')
    .description('Create a person and add them to a workspace')
    .argument('<email>', 'The email address to sign in with')
    .option('--name <name>', 'The name to show (default: the email up to the @)')
    .option('--workspace <name>', 'The workspace to join (default: the oldest one)')
    .addOption(roleOption())
    .addHelpText('after', password_note)
    .action((email: string, options: NewUser) =>
      run(async (service, shell) => (await loadActions()).createUser(service, shell, email, options)),
    )
  group
    .command('join')
    .description('Add a person to a workspace')
    .argument('<email>', "The person's email address")
    .requiredOption('--workspace <name>', 'The workspace to join')
    .addOption(roleOption())
    .action((email: string, options: NewMember) =>
      run(async (service) => (await loadActions()).joinUser(service, email, options)),
    )
  group
    .command('password')
    .description('Set a new password and end all sessions of a person')
    .argument('<email>', "The person's email address")
    .addHelpText('after', password_note)
    .action((email: string) => run(async (service, shell) => (await loadActions()).setPassword(service, shell, email)))
  group
    .command('password-link')
    .description('Print a link with which a person sets a new password')
    .argument('<email>', "The person's email address")
    .addHelpText('after', link_note)
    .action((email: string) => run(async (service) => (await loadActions()).createPasswordLink(service, email)))
  group
    .command('two-factor-reset')
    .description('Turn off two-factor sign-in of a person who has lost the app and the recovery codes')
    .argument('<email>', "The person's email address")
    .addHelpText('after', '\nEnds all sessions of the person. They can set it up again in their profile.')
    .action((email: string) => run(async (service) => (await loadActions()).resetTwoFactor(service, email)))
  group
    .command('list')
    .description('List all people')
    .action(() => run(async (service) => (await loadActions()).listUsers(service)))
}
