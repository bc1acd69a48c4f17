import { InvalidArgumentError } from 'commander'
import type { Ask } from './ask.ts'
import type { Command } from './command.ts'

const loadActions = () => import('./campaign-actions.ts')

const note = `
The exit status is 2 if several campaigns have the name.`

const as = (workspace: string | undefined) => ({
  workspace,
  command: 'campaign',
  scopes: ['campaigns:read', 'campaigns:write', 'workspace:read'],
})

interface Options {
  workspace?: string
}

export function addCampaignCommands(program: Command, ask: Ask, isJson: () => boolean): void {
  const group = program
    .command('campaign')
    .summary('Campaigns')
    .description('Forecast, start and pause campaigns, through the API of the running service')
  const add = (name: string, description: string): Command =>
    group
      .command(name)
      .description(description)
      .option(
        '--workspace <name>',
        'The workspace of the campaign (default: PARLEY_WORKSPACE, or that of the login, or the oldest one)',
      )
      .addHelpText('after', note)
  const campaign = ['<campaign>', 'The name or the id of the campaign'] as const
  add('list', 'List campaigns, newest first').action(({ workspace }: Options) =>
    ask(as(workspace), async (target) => (await loadActions()).listCampaigns(target)),
  )
  add('forecast', 'Print what a campaign would do, without doing it')
    .argument(...campaign)
    .option('--seed <number>', 'The seed of what is drawn', parseSeed)
    .action((name: string, { workspace, seed }: Options & { seed?: number }) =>
      ask(as(workspace), async (target) =>
        (await loadActions()).forecastCampaign(target, name, seed === undefined ? {} : { seed }),
      ),
    )
  const addVerb = (verb: 'start' | 'pause' | 'resume', description: string) =>
    add(verb, description)
      .argument(...campaign)
      .action((name: string, { workspace }: Options) =>
        ask(as(workspace), async (target) => (await loadActions()).changeCampaign(target, name, verb)),
      )
  addVerb('start', 'Start a campaign')
  addVerb('pause', 'Pause a campaign: no further attempt begins')
  addVerb('resume', 'Resume a paused campaign')
  const report: Command = add('report', 'Print a row for each contact of a campaign, as CSV')
    .argument(...campaign)
    .option('--output <file>', 'Write to this file instead')
    .action((name: string, { workspace, output }: Options & { output?: string }) => {
      if (isJson() && output === undefined) report.error('error: --json needs --output')
      return ask(as(workspace), async (target) => (await loadActions()).reportCampaign(target, name, output))
    })
}

function parseSeed(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Use a whole number of up to 9 digits.')
}
