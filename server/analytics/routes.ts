import * as operation from '../kit/http/operation.ts'
import * as schema from './schema.ts'
import * as analytics from './store.ts'

const scope = 'analytics:read'
const about =
  'Rows by hours, days or weeks, and their total. Trials are left out, and in a live workspace simulated calls. What was redacted or deleted is still counted.'

export const operations: operation.Operation[] = [
  operation.get({
    id: 'analytics.calls',
    path: '/analytics/calls',
    scope,
    summary: 'Get analytics of calls',
    description: `${about} A call counts from its end on, at the time at which it was dialled or received.`,
    query: schema.Query,
    is_expensive: true,
    response: schema.CallAnalytics,
    run: (at, { query }) => analytics.readCalls(at, query),
  }),
  operation.get({
    id: 'analytics.conversations',
    path: '/analytics/conversations',
    scope,
    summary: 'Get analytics of conversations',
    description: `${about} These are conversations by text: calls have their own analytics. All that happens in a conversation counts at the time at which it began.`,
    query: schema.Query,
    is_expensive: true,
    response: schema.ConversationAnalytics,
    run: (at, { query }) => analytics.readConversations(at, query),
  }),
  operation.get({
    id: 'analytics.campaigns',
    path: '/analytics/campaigns',
    scope,
    summary: 'Get analytics of campaigns',
    description: `${about} An attempt counts from its end on, at the time at which it began.`,
    query: schema.Query,
    is_expensive: true,
    response: schema.CampaignAnalytics,
    run: (at, { query }) => analytics.readCampaigns(at, query),
  }),
]
