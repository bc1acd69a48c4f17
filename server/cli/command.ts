import { Command as Commander } from 'commander'

/** The arguments are wrong. `help` is the command that explains them. */
export class UsageError extends Error {
  readonly help: string

  constructor(message: string, help = 'parley --help') {
    super(message)
    this.help = help
  }
}

/** A name fits several resources. The exit status is 2. */
export class AmbiguousError extends Error {}

/** Ctrl-C was pressed at a prompt. The exit status is 130, and nothing is printed. */
export class CanceledError extends Error {}

interface HelpContext {
  error: boolean
}

/** Throws a UsageError where commander would print the error and exit: parley.ts reports all errors. */
export class Command extends Commander {
  override createCommand(name?: string): Command {
    return new Command(name)
  }

  override error(message: string): never {
    const sentence = message.replace(/^error: /, '').replace(/\.?\n\((.+)\)$/, '. $1')
    throw new UsageError(sentence, `${fullName(this)} --help`)
  }

  /** With `error`, commander asks for help because a subcommand is missing, or because `help` got an unknown name. */
  override help(context?: unknown): never {
    if (!isError(context)) return super.help()
    const [, unknown] = this.args
    if (unknown !== undefined) this.error(`unknown command '${unknown}'`)
    if (!this.optsWithGlobals().json) this.outputHelp(context)
    this.error('a command is required')
  }
}

const isError = (context: unknown): context is HelpContext => Object(context).error === true

function fullName(command: Commander): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()
}
