import type { Shell } from '../start/shell.ts'
import type { Command } from './command.ts'

const note = `
Asks for an API key, or reads it from standard input. It is kept in the user's configuration folder, in a file that only the user
can read: parley/logins.json in XDG_CONFIG_HOME, or in ~/.config. A key gives access to one workspace: log in once for each, and
choose with --workspace or PARLEY_WORKSPACE. Without them commands use the last login.

PARLEY_URL and PARLEY_API_KEY go before a login, and DATABASE_URL and DATA_DIR too: with these, commands ask the service on this
machine.`

export function addLoginCommand(program: Command, shell: Shell, isJson: () => boolean): void {
  program
    .command('login')
    .description('Use a service that runs elsewhere')
    .argument('<url>', 'The URL of the service, such as https://parley.example.com')
    .option('--key <key>', 'The API key. Other users of this machine may see what is typed here')
    .addHelpText('after', note)
    .action(async (url: string, { key }: { key?: string }) =>
      (await import('./login-actions.ts')).logIn(shell, url, { key, is_json: isJson() }),
    )
}

export function addLogoutCommand(program: Command, shell: Shell, isJson: () => boolean): void {
  program
    .command('logout')
    .description('Forget the key of the last login')
    .option('--workspace <name>', 'Forget the key of this workspace instead')
    .option('--all', 'Forget all keys')
    .addHelpText('after', '\nThe keys stay valid: revoke them in the dashboard if nobody should use them.')
    .action(async (options: { workspace?: string; all?: boolean }) =>
      (await import('./login-actions.ts')).logOut(shell, { ...options, is_json: isJson() }),
    )
}
