import { ById, Deleted } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import { hold } from './dial/hold.ts'
import { Forecast, NewForecast } from './forecast-schema.ts'
import { readProgress } from './progress.ts'
import { remove } from './removal.ts'
import { reportCsv } from './report.ts'
import * as schema from './schema.ts'
import { forecast } from './simulate/forecast.ts'
import { cancel, pause, resume, start, type Verb } from './state.ts'
import * as campaigns from './store.ts'

const path = '/campaigns'
const read = 'campaigns:read'
const write = 'campaigns:write'
const version = schema.campaignVersion

const report_example =
  'phone_number,status,reason,attempts,last_outcome,wants_callback\r\n+14155550100,completed,,1,answered,true\r\n'

const verbs = { start, pause, resume, cancel }
const stops: Verb[] = ['pause', 'cancel']

/** Makes an operation that changes the status. `If-Match` is ignored, because the status is the condition. */
const stateVerb = (verb: Verb, summary: string, description: string) =>
  operation.write({
    id: `campaigns.${verb}`,
    method: 'POST',
    path: `${path}/:id/${verb}`,
    scope: write,
    summary,
    description,
    params: ById,
    errors: ['INVALID_STATE'],
    response: schema.Campaign,
    version,
    before: async (at, { params }) => stops.includes(verb) && hold(at, params.id),
    run: (at, { params }) => verbs[verb](at, params.id),
  })

export const operations: operation.Operation[] = [
  operation.write({
    id: 'campaigns.create',
    method: 'POST',
    path,
    scope: write,
    is_audited: false,
    summary: 'Create a campaign',
    description:
      'A draft, in which nobody is reached. Enroll contacts, then start it. A workspace can have 100 campaigns that are not ' +
      'completed or canceled.',
    body: schema.NewCampaign,
    errors: ['INVALID_STATE'],
    response: schema.Campaign,
    status: 201,
    version,
    run: (at, { body }) => campaigns.create(at, body),
  }),
  operation.list({
    id: 'campaigns.list',
    path,
    scope: read,
    tool: { name: 'list_campaigns', description: 'Lists campaigns, newest first.' },
    summary: 'List campaigns',
    description: 'Newest first.',
    query: schema.CampaignQuery,
    items: schema.Campaign,
    run: (at, { query }) => campaigns.list(at, query),
  }),
  operation.get({
    id: 'campaigns.get',
    path: `${path}/:id`,
    scope: read,
    summary: 'Get a campaign',
    params: ById,
    response: schema.Campaign,
    version,
    run: (at, { params }) => campaigns.get(at, params.id),
  }),
  operation.write({
    id: 'campaigns.update',
    method: 'PATCH',
    path: `${path}/:id`,
    scope: write,
    is_audited: false,
    summary: 'Update a campaign',
    description:
      'Everything can change until the campaign runs. After that `name`, `windows`, `holidays`, `pacing`, `retry`, `caps` and ' +
      '`ends_at` can, from the next second on. Members of `pacing` and `caps` that are not sent keep their values; lists and ' +
      '`variables` are replaced.',
    params: ById,
    body: schema.CampaignChange,
    errors: ['INVALID_STATE'],
    response: schema.Campaign,
    version,
    run: (at, { params, body, isCurrent }) => campaigns.update(at, { id: params.id, change: body, isCurrent }),
  }),
  operation.write({
    id: 'campaigns.delete',
    method: 'DELETE',
    path: `${path}/:id`,
    scope: write,
    summary: 'Delete a campaign',
    description:
      'Deletes a draft, or a campaign that is completed or canceled, with its enrollments. Its calls stay. Cancel others first.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: Deleted,
    version,
    run: (at, { params, isCurrent }) => remove(at, { id: params.id, isCurrent }),
  }),
  stateVerb(
    'start',
    'Start a campaign',
    'A draft becomes `running`, or `scheduled` until `starts_at`. It needs contacts, and a channel to reach them from.',
  ),
  stateVerb('pause', 'Pause a campaign', 'No attempt begins after the answer. Those in progress go on to their end.'),
  stateVerb('resume', 'Resume a campaign', 'A paused campaign runs again, or is scheduled again until `starts_at`.'),
  stateVerb(
    'cancel',
    'Cancel a campaign',
    'Ends it for good. Attempts in progress go on to their end; all other contacts are canceled in the background.',
  ),
  operation.remote({
    id: 'campaigns.forecast',
    path: `${path}/:id/forecast`,
    scope: read,
    tool: {
      name: 'forecast_campaign',
      description: 'Simulates a campaign: when it would end and how many contacts it would reach. Changes nothing.',
    },
    summary: 'Forecast a campaign',
    description:
      'Runs the campaign from now on with simulated people, in memory: nobody is called, and nothing changes. For an agent with ' +
      'a script, a test workspace then does exactly the same. At most 10,000 contacts are simulated. Workspaces take turns, with ' +
      'one forecast at a time each (409). One that waits or takes too long is 503, with `Retry-After`.',
    params: ById,
    body: NewForecast,
    errors: ['INVALID_STATE'],
    response: Forecast,
    run: (at, { params, body }, signal) => forecast(at, { id: params.id, input: body, signal }),
  }),
  operation.write({
    id: 'campaigns.clone',
    method: 'POST',
    path: `${path}/:id/clone`,
    scope: write,
    is_audited: false,
    summary: 'Clone a campaign',
    description: 'Creates a draft with the same settings, without contacts, `starts_at` and `ends_at`.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: schema.Campaign,
    status: 201,
    version,
    run: (at, { params }) => campaigns.clone(at, params.id),
  }),
  operation.get({
    id: 'campaigns.get_progress',
    path: `${path}/:id/progress`,
    scope: read,
    tool: {
      name: 'get_campaign_progress',
      description: 'Returns how far a campaign is: contacts by status and attempts by outcome.',
    },
    summary: 'Get the progress of a campaign',
    description: 'How many contacts and attempts there are, and how fast it goes.',
    params: ById,
    response: schema.Progress,
    run: (at, { params }) => readProgress(at, params.id),
  }),
  operation.file({
    id: 'campaigns.get_report',
    path: `${path}/:id/report`,
    scope: read,
    summary: 'Download the report of a campaign',
    description:
      'Returns a row for each contact, as CSV: number, status, reason, attempts, last outcome, and a column for each of the ' +
      "agent's `results`, with what the last call or conversation has collected.",
    params: ById,
    file: { content_type: 'text/csv; charset=utf-8', name: 'campaign.csv', example: report_example },
    run: (at, { params }) => reportCsv(at, params.id),
  }),
]
