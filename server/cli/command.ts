import { Command as Commander } from 'commander'
import { isObject } from '../kit/json.ts'

/** Says that the arguments are wrong. */
export class UsageError extends Error {
  /** The command that explains the arguments. The command whose arguments they are sets this, and the exit status. */
  help = ''
  exit_status = 1
}

/** Says that a name fits several resources. The exit status is 2. */
export class AmbiguousError extends Error {}

/** Says that Ctrl-C was pressed at a prompt. The exit status is 130, and nothing is printed. */
export class CanceledError extends Error {}

type Action = Parameters<Commander['action']>[0]

interface HelpContext {
  error: boolean
}

/** A command that throws a UsageError where commander would print the error and exit: parley.ts reports all errors. */
export class Command extends Commander {
  /** The exit status when the arguments are wrong, also those of its subcommands. */
  usage_status: number | undefined

  override createCommand(name?: string): Command {
    return new Command(name)
  }

  override error(message: string): never {
    const sentence = message.replace(/^error: /, '').replace(/\.?\n\((.+)\)$/, '. $1')
    throw this.#explained(new UsageError(sentence))
  }

  override action(run: Action): this {
    return super.action(async (...words) => {
      try {
        await run.apply(this, words)
      } catch (error) {
        throw error instanceof UsageError ? this.#explained(error) : error
      }
    })
  }

  #explained(error: UsageError): UsageError {
    return Object.assign(error, { help: `${fullName(this)} --help`, exit_status: usageStatusOf(this) })
  }

  /**
   * Prints help. With `error`, commander asks for it because a subcommand is missing, or because `help` got an unknown
   * name.
   */
  override help(context?: unknown): never {
    if (!isError(context)) return super.help()
    const [, unknown] = this.args
    if (unknown !== undefined) this.error(`unknown command '${unknown}'`)
    if (!this.optsWithGlobals().json) this.outputHelp(context)
    this.error('a command is required')
  }
}

const isError = (context: unknown): context is HelpContext => isObject(context) && context.error === true

function usageStatusOf(command: Commander | null): number {
  if (!command) return 1
  return (command instanceof Command ? command.usage_status : undefined) ?? usageStatusOf(command.parent)
}

function fullName(command: Commander): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()
}
