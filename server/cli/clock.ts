import { InvalidArgumentError } from 'commander'
import type { Ask } from './ask.ts'
import type { Command } from './command.ts'

const loadActions = () => import('./clock-actions.ts')

const unit_seconds = { d: 86_400, h: 3_600, m: 60, s: 1 }
const seconds_max = 366 * unit_seconds.d

const note = `
Waits until everything that is due on the way is done. The advance goes on if you press Ctrl-C meanwhile.

Examples: parley clock advance 2d, parley clock advance 1h30m, parley clock advance --to 2027-03-01T09:00:00Z`

const as = (workspace: string | undefined) => ({
  workspace,
  command: 'clock',
  scopes: ['test_clock:read', 'test_clock:write', 'workspace:read'],
  of_kind: 'test' as const,
})

interface Options {
  workspace?: string
}

export function addClockCommands(program: Command, ask: Ask): void {
  const group = program
    .command('clock')
    .summary('Test clocks')
    .description('Show and advance the clock of a test workspace, through the API of the running service')
  const add = (name: string, description: string): Command =>
    group
      .command(name)
      .description(description)
      .option('--workspace <name>', 'The test workspace (default: the only one)')
  add('show', 'Print the time in a test workspace').action(({ workspace }: Options) =>
    ask(as(workspace), async (target) => (await loadActions()).showClock(target)),
  )
  const advance: Command = add('advance', 'Let time pass in a test workspace')
    .argument('[duration]', 'How long: days, hours, minutes and seconds, such as 2d, 1h30m or 90s', parseDuration)
    .option('--to <time>', 'Instead of a duration: the time to advance to')
    .addHelpText('after', note)
    .action((by_seconds: number | undefined, { workspace, to }: Options & { to?: string }) => {
      if ((by_seconds === undefined) === (to === undefined)) advance.error('error: use either a duration or --to')
      const input = { ...(by_seconds !== undefined && { by_seconds }), ...(to !== undefined && { to }) }
      return ask(as(workspace), async (target) => (await loadActions()).advanceClock(target, input))
    })
}

function parseDuration(text: string): number {
  const { groups = {} } = /^(?=.)((?<d>\d{1,9})d)?((?<h>\d{1,9})h)?((?<m>\d{1,9})m)?((?<s>\d{1,9})s)?$/.exec(text) ?? {}
  const seconds = Object.entries(unit_seconds).reduce((sum, [unit, each]) => sum + Number(groups[unit] ?? 0) * each, 0)
  if (seconds >= 1 && seconds <= seconds_max) return seconds
  throw new InvalidArgumentError('Use days, hours, minutes and seconds, such as 2d, 1h30m or 90s, up to 366d.')
}
