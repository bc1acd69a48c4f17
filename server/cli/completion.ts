import { Argument, type Command as Commander } from 'commander'
import { product } from '../product.ts'
import { consoleOf, type Shell } from '../start/shell.ts'
import type { Command } from './command.ts'

const shells = ['bash', 'zsh', 'fish'] as const

const note = `
bash: put this into ~/.bashrc:  source <(parley completion bash)
zsh:  put this into ~/.zshrc after compinit:  source <(parley completion zsh)
fish: parley completion fish > ~/.config/fish/completions/parley.fish

Run it again after an update.`

export function addCompletionCommand(program: Command, shell: Shell): void {
  program
    .command('completion')
    .description('Print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'The shell').choices(shells))
    .addHelpText('after', note)
    .action((name: (typeof shells)[number]) => consoleOf(shell).log(scripts[name](listWords(program))))
}

/** The words that can follow others: after `parley`, after `parley key`, after `parley key create`. */
interface Words {
  after: string[]
  words: { word: string; description: string }[]
}

function listWords(command: Commander, after: string[] = []): Words[] {
  const own = command.options.map(({ long, description }) => ({ word: long ?? '', description }))
  const options = after.length > 0 ? [...own, json, help] : [...own, help]
  const subcommands = command.commands.map((one) => ({ word: one.name(), description: describe(one) }))
  const choices = command.registeredArguments
    .flatMap(({ argChoices }) => argChoices ?? [])
    .map((word) => ({ word, description: '' }))
  const words = [...subcommands, ...choices, ...options]
  return [{ after, words }, ...command.commands.flatMap((one) => listWords(one, [...after, one.name()]))]
}

const json = { word: '--json', description: 'Print data and errors as JSON' }
const help = { word: '--help', description: 'Print help' }

const describe = (command: Commander): string => command.summary() || command.description()

const name = product.short_name

const caseOf = ({ after, words }: Words): string =>
  `    '${after.join(' ')}') echo '${words.map(({ word }) => word).join(' ')}' ;;`

/** Writes a function that both shells run. The words before the first option say which words can follow. */
const wordsFunction = (all: Words[]): string => `_${name}_words() {
  local at='' word
  for word in "$@"; do
    case "$word" in
      -*) break ;;
    esac
    case "$at $word" in
${all
  .filter(({ after }) => after.length > 0)
  .map(({ after }) => `      '${[after.slice(0, -1).join(' '), after.at(-1)].join(' ')}') at='${after.join(' ')}' ;;`)
  .join('\n')}
    esac
  done
  case "$at" in
${all.map(caseOf).join('\n')}
  esac
}`

const scripts: Record<(typeof shells)[number], (all: Words[]) => string> = {
  bash: (all) => `${wordsFunction(all)}
_${name}() {
  local before=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
  COMPREPLY=($(compgen -W "$(_${name}_words "\${before[@]}")" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _${name} ${name}`,
  zsh: (all) => `${wordsFunction(all)}
_${name}() {
  compadd -- \${=$(_${name}_words "\${(@)words[2,CURRENT-1]}")} || _files
}
compdef _${name} ${name}`,
  fish: (all) =>
    [
      `complete -c ${name} -f`,
      ...all.flatMap(({ after, words }) => {
        const next = all.filter((one) => one.after.length === after.length + 1 && isBelow(one.after, after))
        const seen = after.map((word) => `__fish_seen_subcommand_from ${word}`)
        const unseen =
          next.length > 0 ? [`not __fish_seen_subcommand_from ${next.map((one) => one.after.at(-1)).join(' ')}`] : []
        const condition = [...seen, ...unseen].join('; and ')
        return words.map(({ word, description }) => {
          const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`
          return `complete -c ${name} -n '${condition || 'true'}' ${what} -d '${description.replace(/['\\]/g, '')}'`
        })
      }),
    ].join('\n'),
}

const isBelow = (one: string[], other: string[]): boolean => other.every((word, index) => one[index] === word)
