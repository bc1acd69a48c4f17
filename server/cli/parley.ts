import { type Command as CommanderCommand, CommanderError, Help } from 'commander'
import { product, version } from '../product.ts'
import { type Shell, safeShell } from '../start/shell.ts'
import { type Ask, createAsk } from './ask.ts'
import { AmbiguousError, CanceledError, Command, UsageError } from './command.ts'
import { createRun, type Run } from './run.ts'

interface Context {
  shell: Shell
  isJson: () => boolean
  /** Runs commands that need the database. */
  run: Run
  /** Runs commands that need the running service. */
  ask: Ask
}

type Add = (program: Command, context: Context) => Promise<void>

/** Every command or group, in the order of the help. One is imported when it is used, because the server takes a while. */
const commands: Record<string, Add> = {
  serve: async (to, { shell, isJson }) => (await import('./serve.ts')).addServeCommand(to, shell, isJson),
  migrate: async (to, { run }) => (await import('./migrate.ts')).addMigrateCommand(to, run),
  shard: async (to, { shell, isJson }) => (await import('./shard.ts')).addShardCommand(to, shell, isJson),
  status: async (to, { shell, isJson }) => (await import('./status.ts')).addStatusCommand(to, shell, isJson),
  login: async (to, { shell, isJson }) => (await import('./login.ts')).addLoginCommand(to, shell, isJson),
  logout: async (to, { shell, isJson }) => (await import('./login.ts')).addLogoutCommand(to, shell, isJson),
  workspace: async (to, { run }) => (await import('./workspace.ts')).addWorkspaceCommands(to, run),
  key: async (to, { run }) => (await import('./key.ts')).addKeyCommands(to, run),
  user: async (to, { run }) => (await import('./user.ts')).addUserCommands(to, run),
  agent: async (to, { ask }) => (await import('./agent.ts')).addAgentCommands(to, ask),
  test: async (to, { ask, isJson }) => (await import('./agent-test.ts')).addTestCommands(to, ask, isJson),
  document: async (to, { ask }) => (await import('./document.ts')).addDocumentCommands(to, ask),
  provider: async (to, { ask }) => (await import('./provider.ts')).addProviderCommands(to, ask),
  channel: async (to, { run }) => (await import('./channel.ts')).addChannelCommands(to, run),
  chat: async (to, { ask }) => (await import('./chat.ts')).addChatCommand(to, ask),
  call: async (to, { ask }) => (await import('./call.ts')).addCallCommand(to, ask),
  clock: async (to, { ask }) => (await import('./clock.ts')).addClockCommands(to, ask),
  campaign: async (to, { ask, isJson }) => (await import('./campaign.ts')).addCampaignCommands(to, ask, isJson),
  api: async (to, { ask }) => (await import('./api.ts')).addApiCommand(to, ask),
  events: async (to, { ask }) => (await import('./events.ts')).addEventsCommands(to, ask),
  listen: async (to, { ask }) => (await import('./events.ts')).addListenCommand(to, ask),
  trigger: async (to, { ask }) => (await import('./events.ts')).addTriggerCommand(to, ask),
  logs: async (to, { ask }) => (await import('./logs.ts')).addLogsCommand(to, ask),
  consent: async (to, { run }) => (await import('./consent.ts')).addConsentCommands(to, run),
  speech: async (to, { shell, isJson }) => (await import('./speech.ts')).addSpeechCommands(to, shell, isJson),
  secrets: async (to, { run }) => (await import('./secrets.ts')).addSecretsCommands(to, run),
  backup: async (to, { run }) => (await import('./backup.ts')).addBackupCommand(to, run),
  restore: async (to, { run, shell }) => (await import('./backup.ts')).addRestoreCommand(to, run, shell),
  erasures: async (to, { run }) => (await import('./erasures.ts')).addErasuresCommands(to, run),
  openapi: async (to, { shell }) => (await import('./openapi.ts')).addOpenapiCommand(to, shell),
  completion: async (to, { shell }) => (await import('./completion.ts')).addCompletionCommand(to, shell),
}

const note = `
Commands ask the running service, or use its database, and print which on standard error. A service elsewhere is the one of
PARLEY_URL and PARLEY_API_KEY, or of parley login. On the machine of the service they go by its DATA_DIR or DATABASE_URL, and its
HOST and PORT, or PUBLIC_URL. Only serve, migrate and restore create a database. README.md lists all variables.

With --json a command prints one JSON document on standard output. An error is the last line on standard error:
{"error": {"code", "message", "details"}}, with details if there are some. The exit status is 0 on success and 1 after an error.`

/** Runs one command. Afterwards its exit status is in the shell, except for `serve`, which goes on until a signal. */
export async function runCommand(words: string[], given: Shell): Promise<void> {
  const shell = safeShell(given)
  const program = newProgram(shell, { has_version: !hasOwnVersion(words) })
  const isJson = (): boolean => program.opts().json === true
  const context = { shell, isJson, run: createRun(shell, isJson), ask: createAsk(shell, isJson) }
  try {
    for (const add of wanted(words)) await add(program, context)
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    // commander has printed help or the version.
    if (error instanceof CommanderError) return shell.exit(error.exitCode)
    if (error instanceof CanceledError) return shell.exit(130)
    const { reportError } = await import('./report-error.ts')
    reportError(shell, error, { is_json: isJson() })
    shell.exit(exitStatusOf(error))
  }
}

function exitStatusOf(error: unknown): number {
  if (error instanceof UsageError) return error.exit_status
  return error instanceof AmbiguousError ? 2 : 1
}

const nameIn = (words: string[]): string => words.find((word) => !word.startsWith('-')) ?? ''

/**
 * Whether the command has its own option `--version`, as in `parley test run AGENT --version v2`. The program would
 * take it as its own.
 */
const hasOwnVersion = (words: string[]): boolean => nameIn(words) === 'test'

/** Returns the commands to load. Help, errors and completion name all of them. */
function wanted(words: string[]): Add[] {
  const name = nameIn(words)
  if (name === 'completion') return Object.values(commands)
  const add = Object.hasOwn(commands, name) ? commands[name] : undefined
  return add ? [add] : Object.values(commands)
}

/** Makes the program. Actions import what they use, so that help and usage errors are printed at once. */
const newProgram = (shell: Shell, { has_version }: { has_version: boolean }): Command =>
  withVersion(new Command(product.short_name), has_version)
    .description('The agent service you run yourself')
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

const withVersion = (program: Command, has_version: boolean): Command =>
  has_version ? program.version(version, '-V, --version', 'Print the version') : program

/** Names a command without "[options]", which would leave little room for the descriptions. */
function nameOf(command: CommanderCommand): string {
  return new Help().subcommandTerm(command).replace(' [options]', '')
}

/** Describes a command. A group names its subcommands, so that `parley --help` lists every command. */
function describe(command: CommanderCommand): string {
  const names = command.commands.map((one) => `${command.name()} ${one.name()}`)
  return names.length > 0 ? `${command.summary()}: ${names.join(', ')}` : command.description()
}

if (import.meta.main) await runCommand(process.argv.slice(2), process)
