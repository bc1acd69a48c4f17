import { type Command as CommanderCommand, CommanderError, Help } from 'commander'
import { product, version } from '../product.ts'
import type { Shell } from '../start/shell.ts'
import { addAgentCommands } from './agent.ts'
import { addBackupCommands } from './backup.ts'
import { addCallCommand } from './call.ts'
import { addCampaignCommands } from './campaign.ts'
import { addChannelCommands } from './channel.ts'
import { addChatCommand } from './chat.ts'
import { addClockCommands } from './clock.ts'
import { AmbiguousError, CanceledError, Command } from './command.ts'
import { addConsentCommands } from './consent.ts'
import { addKeyCommands } from './key.ts'
import { addMigrateCommand } from './migrate.ts'
import { addOpenapiCommand } from './openapi.ts'
import { addProviderCommands } from './provider.ts'
import { reportError } from './report-error.ts'
import { createRun } from './run.ts'
import { addSecretsCommands } from './secrets.ts'
import { addServeCommand } from './serve.ts'
import { addShardCommand } from './shard.ts'
import { addSpeechCommands } from './speech.ts'
import { addStatusCommand } from './status.ts'
import { addUserCommands } from './user.ts'
import { addWorkspaceCommands } from './workspace.ts'

const note = `
Commands use the database that DATA_DIR or DATABASE_URL names, also while the service runs, and print its name on
standard error. Only serve, migrate and restore create a database. README.md lists all variables.

With --json a command prints one JSON document on standard output. An error is the last line on standard error:
{"error": {"code", "message"}}. The exit status is 0 on success and 1 after an error.`

/** Runs one command. Its exit status is in the shell afterwards, unless it is `serve`: that one goes on until a signal. */
export async function runCommand(words: string[], shell: Shell): Promise<void> {
  const program = newProgram(shell)
  const isJson = (): boolean => program.opts().json === true
  const run = createRun(shell, isJson)
  addServeCommand(program, shell, isJson)
  addMigrateCommand(program, run)
  addShardCommand(program, shell, isJson)
  addStatusCommand(program, shell, isJson)
  addWorkspaceCommands(program, run)
  addKeyCommands(program, run)
  addUserCommands(program, run)
  addAgentCommands(program, run)
  addProviderCommands(program, run)
  addChannelCommands(program, run)
  addChatCommand(program, run, isJson)
  addCallCommand(program, run, isJson)
  addClockCommands(program, run, isJson)
  addCampaignCommands(program, run, isJson)
  addConsentCommands(program, run)
  addSpeechCommands(program, shell, isJson)
  addSecretsCommands(program, run)
  addBackupCommands(program, run, shell)
  addOpenapiCommand(program, shell)
  try {
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    // Help or the version was printed.
    if (error instanceof CommanderError) return shell.exit(error.exitCode)
    if (error instanceof CanceledError) return shell.exit(130)
    reportError(shell, error, { is_json: isJson() })
    shell.exit(error instanceof AmbiguousError ? 2 : 1)
  }
}

/** Actions import what they use, so that help and usage errors are printed at once. */
const newProgram = (shell: Shell): Command =>
  new Command(product.short_name)
    .description('The agent service you run yourself')
    .version(version, '-V, --version', 'Print the version')
    .option('--json', 'Print data and errors as JSON')
    .helpOption('-h, --help', 'Print help')
    .helpCommand('help [command]', 'Print help for a command')
    .configureHelp({ showGlobalOptions: true, subcommandTerm: nameOf, subcommandDescription: describe })
    .configureOutput({
      writeOut: (text) => void shell.stdout.write(text),
      writeErr: (text) => void shell.stderr.write(text),
    })
    .exitOverride()
    .addHelpText('after', note)

/** Leaves out "[options]", which would leave little room for the descriptions. */
function nameOf(command: CommanderCommand): string {
  return new Help().subcommandTerm(command).replace(' [options]', '')
}

/** Names the subcommands of a group, so that `parley --help` lists every command. */
function describe(command: CommanderCommand): string {
  const names = command.commands.map((one) => `${command.name()} ${one.name()}`)
  return names.length > 0 ? `${command.summary()}: ${names.join(', ')}` : command.description()
}

if (import.meta.main) await runCommand(process.argv.slice(2), process)
